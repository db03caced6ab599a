// Links that a container holds and no link lists are named at setup and when they are saved.
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "tests/reject/rejection.h"
#include "tests/support/said.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::refusal;
using testing::said;

/// Has a listed layer, and one of `out` outputs in a container.
template <class Container>
struct Holding : Chain {
    Linear listed{3, 2};
    Container layers;
    Holding() { add_children({{"listed", listed}}); }
};

/// A line that names the layer of so many outputs.
auto names(int outputs) { return HasSubstr("out_size=" + std::to_string(outputs) + ","); }

/// What setup() says of a model; each test has outputs of another number, as a line is said once.
template <class Model>
std::string said_at_setup(Model& model) {
    SGD sgd(0.1);
    return said([&] { sgd.setup(model); });
}

#ifdef __SANITIZE_ADDRESS__
#define SKIP_UNDER_THE_ADDRESS_SANITIZER() \
    GTEST_SKIP() << "its malloc does not say how large a block is"
#else
#define SKIP_UNDER_THE_ADDRESS_SANITIZER()
#endif

TEST(LinksInContainers, those_of_a_map_are_named) {
    SKIP_UNDER_THE_ADDRESS_SANITIZER();
    Holding<std::map<std::string, Linear>> model;
    for (int i = 0; i < 9; ++i)
        model.layers.emplace("layer " + std::to_string(i), Linear(3, 100 + i));
    const std::string text = said_at_setup(model);
    for (int i = 0; i < 9; ++i) EXPECT_THAT(text, names(100 + i));
    EXPECT_THAT(text, HasSubstr("which no link lists"));
}

TEST(LinksInContainers, those_of_an_unordered_map_and_a_list_are_named) {
    SKIP_UNDER_THE_ADDRESS_SANITIZER();
    Holding<std::unordered_map<std::string, Linear>> map;
    map.layers.emplace("a", Linear(3, 110));
    map.layers.emplace("b", Linear(3, 111));
    const std::string of_map = said_at_setup(map);
    EXPECT_THAT(of_map, names(110));
    EXPECT_THAT(of_map, names(111));
    Holding<std::list<Linear>> list;
    list.layers.emplace_back(3, 112);
    list.layers.emplace_back(3, 113);
    const std::string of_list = said_at_setup(list);
    EXPECT_THAT(of_list, names(112));
    EXPECT_THAT(of_list, names(113));
}

TEST(LinksInContainers, every_one_of_a_vector_and_a_deque_is_named) {
    SKIP_UNDER_THE_ADDRESS_SANITIZER();
    Holding<std::vector<Linear>> vector;
    for (int i = 0; i < 3; ++i) vector.layers.emplace_back(3, 120 + i);
    const std::string of_vector = said_at_setup(vector);
    for (int i = 0; i < 3; ++i) EXPECT_THAT(of_vector, names(120 + i));
    Holding<std::deque<Linear>> deque;
    deque.layers.emplace_back(3, 123);
    EXPECT_THAT(said_at_setup(deque), names(123));
}

TEST(LinksInContainers, those_behind_pointers_in_a_vector_are_named) {
    SKIP_UNDER_THE_ADDRESS_SANITIZER();
    Holding<std::vector<std::unique_ptr<Linear>>> unique;
    for (int i = 0; i < 3; ++i) unique.layers.push_back(std::make_unique<Linear>(3, 130 + i));
    const std::string of_unique = said_at_setup(unique);
    for (int i = 0; i < 3; ++i) EXPECT_THAT(of_unique, names(130 + i));
    Holding<std::vector<std::shared_ptr<Linear>>> shared;
    shared.layers.push_back(std::make_shared<Linear>(3, 133));
    EXPECT_THAT(said_at_setup(shared), names(133));
}

TEST(LinksInContainers, those_behind_pointers_in_maps_are_named) {
    SKIP_UNDER_THE_ADDRESS_SANITIZER();
    Holding<std::map<std::string, std::unique_ptr<Linear>>> pointers;
    pointers.layers["a"] = std::make_unique<Linear>(3, 140);
    EXPECT_THAT(said_at_setup(pointers), names(140));
    Holding<std::map<int, std::vector<std::shared_ptr<Linear>>>> lists;
    lists.layers[3].push_back(std::make_shared<Linear>(3, 141));
    EXPECT_THAT(said_at_setup(lists), names(141));
}

TEST(LinksInContainers, one_in_an_optional_is_an_error_as_a_member_is) {
    Holding<std::optional<Linear>> model;
    model.layers.emplace(3, 150);
    SGD sgd(0.1);
    EXPECT_THAT(refusal<ValueError>([&] { sgd.setup(model); }), HasSubstr("=150"));
}

TEST(LinksInContainers, they_are_named_when_the_model_is_saved) {
    SKIP_UNDER_THE_ADDRESS_SANITIZER();
    Holding<std::vector<std::unique_ptr<Linear>>> model;
    model.layers.push_back(std::make_unique<Linear>(3, 160));
    EXPECT_THAT(said([&] { save_npz(::testing::TempDir() + "containers.npz", model); }),
                names(160));
}

TEST(LinksInContainers, what_is_listed_left_out_or_trained_elsewhere_is_not_named) {
    struct Lists : Chain {
        std::vector<std::unique_ptr<Linear>> layers;
        std::map<std::string, Linear> left_out, elsewhere;
        Lists() {
            for (int i = 0; i < 3; ++i) {
                layers.push_back(std::make_unique<Linear>(3, 170 + i));
                add_child("layer" + std::to_string(i), *layers.back());
            }
            leave_out(left_out.emplace("a", Linear(3, 173)).first->second);
            elsewhere.emplace("a", Linear(3, 174));
        }
    };
    Lists model;
    SGD other(0.1);
    other.setup(model.elsewhere.at("a"));
    EXPECT_THAT(said_at_setup(model), IsEmpty());
}

TEST(LinksInContainers, what_lies_beside_on_the_heap_is_not_named) {
    // Links of the program's own before, between and behind what the model holds.
    std::vector<std::unique_ptr<Linear>> own;
    struct Data : Chain {
        Linear listed{3, 2};
        std::vector<int> numbers;
        std::vector<double> rates{.1};
        std::string text = std::string(40, 'x');
        std::map<std::string, std::vector<float>> table;
        std::shared_ptr<int> count = std::make_shared<int>(3);
        std::unique_ptr<char[]> bytes = std::make_unique<char[]>(24);
        Variable last = ones({4});
        std::function<float(float)> scale = [big = std::vector<float>(9, 2.f)](float x) {
            return x * big[0];
        };
        Data() { add_children({{"listed", listed}}); }
    };
    own.push_back(std::make_unique<Linear>(3, 180));
    Data model;
    for (int i = 0; i < 40; ++i) {
        own.push_back(std::make_unique<Linear>(3, 181 + i));
        model.numbers.push_back(i);
        model.table["row " + std::to_string(i)].resize(size_t(i));
    }
    EXPECT_THAT(said_at_setup(model), IsEmpty());
}

TEST(LinksInContainers, what_a_short_text_does_not_use_leads_nowhere) {
    Linear other(3, 190);
    struct Named : Chain {
        Linear listed{3, 2};
        std::string name = "ab";
        std::map<std::string, int> table;
        Named() { add_children({{"listed", listed}}); }
    };
    const auto leave_pointer = [&](const std::string& text) {
        const Link* const pointer = &other;
        std::memcpy(const_cast<char*>(text.data()) + 8, &pointer, sizeof pointer);
    };
    Named model;
    for (const char* key : {"c", "d", "e"}) model.table[key] = 1;
    leave_pointer(model.name);
    for (const auto& [key, number] : model.table) leave_pointer(key);
    EXPECT_THAT(said_at_setup(model), IsEmpty());
}

}  // namespace
}  // namespace catena
