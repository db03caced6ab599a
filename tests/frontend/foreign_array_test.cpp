#include "runtime/core/array/foreign_array.h"

#include <atomic>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/array/held_memory.h"
#include "runtime/graph/call/held_state.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

/// Numbers of somebody else's, and how often they were given back.
struct Owner {
    std::vector<float> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    std::atomic<int> releases = 0;

    ForeignMemory memory(const Shape& shape, const Strides& strides, int64_t first = 0) {
        return {.data = numbers.data() + first,
                .type = {Dtype::float32, shape},
                .strides = strides,
                .release = [this] { ++releases; }};
    }
};

std::vector<float> contents(const Array& array) { return array.to_vector<float>(); }

TEST(ForeignArray, shows_the_owners_memory) {
    Owner owner;
    const Array x = foreign_array(owner.memory({3, 4}, {4, 1}));
    EXPECT_EQ(x.elements(), owner.numbers.data());
    EXPECT_TRUE(x.contiguous());
    EXPECT_EQ(contents(x), owner.numbers);
    owner.numbers[5] = 50;
    EXPECT_EQ(contents(x)[5], 50);
    x.data<float>()[6] = 60;
    EXPECT_EQ(owner.numbers[6], 60);
}

TEST(ForeignArray, is_released_once_after_the_last_array_that_shows_it) {
    Owner owner;
    {
        Array row;
        {
            const Array x = foreign_array(owner.memory({3, 4}, {4, 1}));
            row = x.view({4}, {1}, 4);
        }
        EXPECT_EQ(owner.releases, 0);
        EXPECT_THAT(contents(row), ::testing::ElementsAre(4, 5, 6, 7));
    }
    EXPECT_EQ(owner.releases, 1);
}

TEST(ForeignArray, is_released_by_whichever_thread_is_the_last) {
    for (int i = 0; i < 20; ++i) {
        Owner owner;
        std::vector<Array> arrays(4, foreign_array(owner.memory({12}, {1})));
        std::vector<std::thread> threads;
        for (Array& each : arrays)
            threads.emplace_back([mine = std::move(each)]() mutable { mine = Array(); });
        for (std::thread& each : threads) each.join();
        EXPECT_EQ(owner.releases, 1);
    }
}

TEST(ForeignArray, a_graph_keeps_it_for_backward) {
    Owner owner;
    Variable y;
    {
        const Variable x(foreign_array(owner.memory({12}, {1})), true);
        y = sum(x * x);
    }
    EXPECT_EQ(owner.releases, 0);
    y.backward();
    y = Variable();
    EXPECT_EQ(owner.releases, 1);
}

TEST(ForeignArray, an_operation_that_fails_keeps_nothing_of_it) {
    Owner owner;
    {
        const Array x = foreign_array(owner.memory({3, 4}, {4, 1}));
        EXPECT_THROW(matmul(x, x), ShapeError);
        EXPECT_EQ(owner.releases, 0);
    }
    EXPECT_EQ(owner.releases, 1);
}

template <class E>
void expect_refused(Owner& owner, ForeignMemory memory, const char* part) {
    const int before = owner.releases;
    try {
        foreign_array(std::move(memory));
        ADD_FAILURE() << "not refused: " << part;
    } catch (const E& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr(part));
    }
    EXPECT_EQ(owner.releases, before + 1);
}

TEST(ForeignArray, what_is_refused_is_released) {
    Owner owner;
    expect_refused<ShapeError>(owner, owner.memory({3, 4}, {1}), "have 1");
    expect_refused<ShapeError>(owner, owner.memory({-3}, {1}), "-3");
    expect_refused<ShapeError>(owner, owner.memory({5, 5}, {INT64_MAX, 1}), "64 bits");
    ForeignMemory null = owner.memory({3}, {1});
    null.data = nullptr;
    expect_refused<ValueError>(owner, std::move(null), "is null");
    ForeignMemory misaligned = owner.memory({3}, {1});
    misaligned.data = reinterpret_cast<char*>(owner.numbers.data()) + 2;
    expect_refused<ValueError>(owner, std::move(misaligned), "no multiple of 4 bytes");
}

TEST(ForeignArray, of_no_elements_needs_no_memory) {
    Owner owner;
    ForeignMemory none = owner.memory({0, 3}, {7, -9});
    none.data = nullptr;
    EXPECT_EQ(sum(foreign_array(std::move(none))).array().item<float>(), 0);
    EXPECT_EQ(owner.releases, 1);
}

/// Each result as of an ordinary array with the same elements.
void expect_same_results(const Array& x) {
    const Array same = Array::from(contents(x), x.shape());
    const Array weights = Array::from(std::vector<float>{1, -2, 3, 4, 5, -6}, {2, 3});
    const std::vector<std::function<Variable(const Array&)>> functions = {
        [](const Array& a) { return relu(a - 4.0); },
        [](const Array& a) { return sum(a, {.axis = {0}}); },
        [](const Array& a) { return softmax(a); },
        [](const Array& a) { return transpose(a) * 2.0; },
        [](const Array& a) { return concat({a, a}, 0); },
        [&](const Array& a) { return matmul(weights, a); },
        [](const Array& a) { return matmul(transpose(a), a); },
        [](const Array& a) { return cumsum(a, 1); },
    };
    for (size_t i = 0; i < functions.size(); ++i)
        EXPECT_EQ(contents(functions[i](x).array()), contents(functions[i](same).array()))
            << "function " << i;
}

TEST(ForeignArray, strides_may_be_of_any_kind) {
    Owner owner;
    const Array transposed = foreign_array(owner.memory({3, 4}, {1, 3}));
    EXPECT_EQ(contents(transposed), (std::vector<float>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
    expect_same_results(transposed);
    const Array backwards = foreign_array(owner.memory({3, 4}, {-4, -1}, 11));
    EXPECT_EQ(contents(backwards), (std::vector<float>{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
    expect_same_results(backwards);
    const Array mixed = foreign_array(owner.memory({3, 2}, {4, -2}, 3));
    EXPECT_EQ(contents(mixed), (std::vector<float>{3, 1, 7, 5, 11, 9}));
    expect_same_results(mixed);
    const Array repeated = foreign_array(owner.memory({3, 4}, {0, 2}));
    EXPECT_EQ(contents(repeated), (std::vector<float>{0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6}));
    expect_same_results(repeated);
}

TEST(ForeignArray, nothing_derived_from_the_elements_is_kept) {
    std::vector<float> numbers(128 * 128, 1);
    const Array w = foreign_array(
        {.data = numbers.data(), .type = {Dtype::float32, {128, 128}}, .strides = {128, 1}});
    const Array x = Array::full({Dtype::float32, {128, 128}}, 1);
    for (int i = 1; i <= 5; ++i) {
        std::fill(numbers.begin(), numbers.end(), float(i));  // Catena is not told.
        EXPECT_EQ(contents(matmul(x, w).array())[77], 128 * float(i));
    }
}

TEST(ForeignArray, memory_that_may_only_be_read_is_never_written) {
    Owner owner;
    ForeignMemory memory = owner.memory({3, 4}, {4, 1});
    memory.is_read_only = true;
    const std::vector<float> before = owner.numbers;
    const Array x = foreign_array(std::move(memory));
    expect_same_results(x);
    for (const auto& write :
         {+[](const Array& a) { a.raw_data(); }, +[](const Array& a) { a.data<float>(); },
          +[](const Array& a) { a.to_fill(); },
          +[](const Array& a) { copy_elements(Array::zeros(a.type()), a); }}) {
        try {
            write(x);
            ADD_FAILURE() << "written";
        } catch (const ValueError& error) {
            EXPECT_THAT(error.what(), ::testing::ContainsRegex("(raw_data|to_fill).*only be read"));
        }
    }
    const HeldMemory held(x);
    EXPECT_EQ(owner.numbers, before);
}

TEST(ForeignArray, waits_for_its_release_while_a_lock_may_be_held) {
    Owner owner;
    {
        const ReleaseLater outer;
        {
            const ReleaseLater inner;
            foreign_array(owner.memory({3}, {1}));
            foreign_array(owner.memory({4}, {1}));
        }
        EXPECT_EQ(owner.releases, 0);
        std::thread([&] { foreign_array(owner.memory({5}, {1})); }).join();
        EXPECT_EQ(owner.releases, 1);
    }
    EXPECT_EQ(owner.releases, 3);
}

TEST(ForeignArray, a_region_gives_back_its_arguments_after_the_call) {
    for (const Audit audit : {Audit::always, Audit::never}) {
        Owner owner;
        auto region =
            static_graph([](const Variable& x, const Variable& y) { return relu(x - y) * 2.0; },
                         {.audit = audit});
        for (int i = 1; i <= 4; ++i) {
            Variable z;
            {
                const Array x = foreign_array(owner.memory({3, 4}, {1, 3}));
                const Array y = foreign_array(owner.memory({3, 4}, {-4, -1}, 11));
                z = region(Variable(x, false), Variable(y, false));
                EXPECT_EQ(owner.releases, 2 * (i - 1));
            }
            EXPECT_EQ(owner.releases, 2 * i);
            EXPECT_EQ(contents(z.array())[0], 0);
            EXPECT_EQ(contents(z.array())[11], 22);
        }
    }
}

TEST(ForeignArray, of_a_region_it_is_released_where_no_lock_of_the_region_is_held) {
    bool is_free = false;
    std::vector<float> numbers = {1, 2, 3};
    auto region = static_graph([](const Variable& x) { return x * 2.0; });
    auto ask = [&] {
        std::thread([&] { is_free = region.statistics().calls > 0; }).join();  // Or it hangs.
    };
    for (int i = 0; i < 3; ++i) {
        is_free = false;
        region(Variable(foreign_array({.data = numbers.data(),
                                       .type = {Dtype::float32, {3}},
                                       .strides = {1},
                                       .release = ask}),
                        false));
        EXPECT_TRUE(is_free);
    }
}

TEST(ForeignArray, a_package_gives_back_its_arguments_after_the_call) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    const std::string path = ::testing::TempDir() + "foreign_array.catena";
    auto region = static_graph([](const Variable& x) { return relu(x) * 2.0; });
    region(batch(0, 3, 4));
    region.save(path);
    Program program = Program::load(path);
    std::vector<float> numbers(12, 3);
    int releases = 0;
    bool is_free = false;
    for (int i = 1; i <= 3; ++i) {
        is_free = false;
        const Array y = program.run({foreign_array({.data = numbers.data(),
                                                    .type = {Dtype::float32, {3, 4}},
                                                    .strides = {1, 3},
                                                    .release = [&] {
                                                        ++releases;
                                                        std::thread([&] {
                                                            is_free = program.state_names().empty();
                                                        }).join();
                                                    }})})[0];
        EXPECT_EQ(contents(y), std::vector<float>(12, 6));
        EXPECT_EQ(releases, i);
        EXPECT_TRUE(is_free);
    }
    EXPECT_EQ(numbers, std::vector<float>(12, 3));
    std::filesystem::remove(path);
}

/// Training that begins in foreign memory, which its owner has left to us or has still.
template <class Rule>
void train_in(Owner& owner, bool is_compiled, bool is_left) {
    Rule optimizer(0.1);
    Mlp model;
    model(batch(0, 2, 3));
    optimizer.setup(model);
    ForeignMemory memory = owner.memory({4, 3}, {3, 1});
    memory.others_may_write = [=] { return !is_left; };
    model.l1.W.set_array(foreign_array(std::move(memory)));
    auto step = [&](const Variable& x) {
        const Variable loss = sum(square(model(x)));
        learn(model, optimizer, loss);
        return loss;
    };
    auto region = static_graph(step, {.audit = Audit::never});
    for (int i = 0; i < 5; ++i) {
        const std::vector<float> before = contents(model.l1.W.array());
        is_compiled ? region(batch(i, 2, 3)) : step(batch(i, 2, 3));
        EXPECT_NE(contents(model.l1.W.array()), before);
        EXPECT_EQ(model.l1.W.array().elements() == owner.numbers.data(), !is_left);
    }
    if (!is_left) {
        EXPECT_EQ(contents(model.l1.W.array()), owner.numbers);
    }
}

TEST(ForeignArray, an_update_is_written_where_its_owner_looks) {
    for (const bool is_compiled : {false, true})
        for (const bool is_left : {false, true})
            for (const auto train : {train_in<SGD>, train_in<Adam>}) {
                Owner owner;
                const std::vector<float> before = owner.numbers;
                train(owner, is_compiled, is_left);
                EXPECT_EQ(owner.numbers == before, is_left);
                EXPECT_EQ(owner.releases, 1);
            }
}

TEST(ForeignArray, memory_that_may_only_be_read_is_left_at_the_first_update) {
    for (const bool is_compiled : {false, true}) {
        Owner owner;
        const std::vector<float> before = owner.numbers;
        ForeignMemory memory = owner.memory({3, 4}, {4, 1});
        memory.is_read_only = true;
        Parameter p(foreign_array(std::move(memory)));
        auto step = [&] { p = p * 2.0; };
        auto region = static_graph(step);
        EXPECT_EQ(p.array().elements(), owner.numbers.data());
        is_compiled ? region() : step();
        EXPECT_NE(p.array().elements(), owner.numbers.data());
        EXPECT_EQ(contents(p.array())[11], 22);
        EXPECT_EQ(owner.numbers, before);
    }
}

TEST(ForeignArray, a_copy_of_its_state_has_memory_of_its_own) {
    Owner owner;
    Parameter p(foreign_array(owner.memory({3, 4}, {4, 1})));
    const Parameter copy = p;
    assign(p, p * 2.0);
    EXPECT_EQ(owner.numbers[11], 22);
    EXPECT_EQ(contents(copy.array())[11], 11);
}

TEST(ForeignArray, a_state_in_held_memory_is_updated_there) {
    Owner owner;
    Parameter p(foreign_array(owner.memory({3, 4}, {1, 3})));
    const HeldMemory held = hold_memory(p);
    EXPECT_EQ(p.array().elements(), owner.numbers.data());
    assign(p, p * 2.0);
    EXPECT_EQ(owner.numbers[11], 22);
    EXPECT_EQ(p.array().elements(), owner.numbers.data());
}

}  // namespace
}  // namespace catena::testing
