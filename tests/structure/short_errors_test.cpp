// What a compiler says to mistakes that users make: a few lines, with the reason in them.
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace catena::structure {
namespace {

using ::testing::HasSubstr;

struct Mistake {
    const char* code;
    std::vector<const char*> said;  ///< In the compiler's words.
};

const Mistake mistakes[] = {
    {"std::cout << ct::SGD(0.1);", {"deleted", "has_no_text_print_its_members"}},
    {"std::cout << *static_cast<ct::Trainer*>(nullptr);", {"has_no_text_print_its_members"}},
    {"for (auto row : ct::ones({2, 3})) use(row);",
     {"deleted", "is_no_range_take_its_rows_by_index"}},
    {"for (auto row : ct::Variable(ct::ones({2, 3}))) use(row);",
     {"is_no_range_take_its_rows_by_index"}},
    {"for (auto example : *static_cast<ct::Dataset*>(nullptr)) use(example);",
     {"is_no_range_take_examples_by_index_or_batches_of_an_iterator"}},
    {"ct::save_npz(\"x\", ct::ones({2}));",
     {"deleted", "is_neither_named_arrays_nor_has_serialize"}},
    {"ct::save_hdf5(\"x\", 3);", {"is_neither_named_arrays_nor_has_serialize"}},
    {"ct::save_safetensors(\"x\", 3.0);", {"is_neither_named_arrays_nor_has_serialize"}},
    {"ct::Array a; ct::load_npz(\"x\", a);", {"has_no_serialize_see_read_npz"}},
    {"ct::NamedArrays a; ct::load_safetensors(\"x\", a);",
     {"has_no_serialize_see_read_safetensors"}},
};

std::string said_to(const std::string& code) {
    const std::string source = std::string(CATENA_BINARY_DIR) + "/short_errors.cpp";
    std::ofstream(source) << "#include <iostream>\n#include <catena/catena.h>\n"
                             "namespace ct = catena;\n"
                             "template <class T> void use(const T&) {}\n"
                          << code;
    return testing::run(std::string(CATENA_CXX) +
                        " -std=c++20 -fsyntax-only -I" CATENA_SOURCE_DIR
                        "/frontend/include -I" CATENA_SOURCE_DIR " " +
                        source)
        .output;
}

TEST(ShortErrors, name_the_mistake_in_a_few_lines) {
    std::string code;
    for (size_t i = 0; i < std::size(mistakes); ++i)
        code += fmt::format("#line 1 \"mistake{}\"\nvoid f{}() {{ {} }}\n", i, i, mistakes[i].code);
    const std::string output = said_to(code);
    for (size_t i = 0; i < std::size(mistakes); ++i) {
        EXPECT_THAT(output, HasSubstr(fmt::format("mistake{}:1:", i))) << mistakes[i].code;
        for (const char* said : mistakes[i].said) EXPECT_THAT(output, HasSubstr(said));
    }
    const auto lines = std::count(output.begin(), output.end(), '\n');
    EXPECT_LT(lines, int64_t(20 * std::size(mistakes))) << output;
}

/// What is deleted stands in the way of nothing that is right.
TEST(ShortErrors, are_not_given_to_what_is_right) {
    EXPECT_EQ(said_to(R"(
        struct Own { void serialize(const ct::Serializer&) {} };
        struct Set : ct::Dataset {};
        std::ostream& operator<<(std::ostream& out, const Set&) { return out << "a set"; }
        void f(ct::Linear& link, ct::SGD& sgd, ct::Array x, ct::Iterator& batches, Set& set) {
            Own own;
            std::cout << link << link.W << x << x.shape() << ct::float32 << set;
            ct::save_npz("x", link), ct::save_npz("x", sgd), ct::save_npz("x", own);
            ct::save_npz("x", {{"x", x}}), ct::save_npz("x", ct::NamedArrays{{"x", x}});
            ct::save_npz("x", [](const ct::Serializer&) {});
            ct::save_safetensors("x", {{"x", x}}, {{"format", "pt"}});
            ct::save_safetensors("x", link, {{"format", "pt"}});
            ct::load_hdf5("x", own, {.strict = false});
            ct::load_safetensors("x", link, {.strict = false});
            use(ct::load_safetensors("x")["x"]), use(ct::read_npz("x")["x"]);
            use(ct::read_hdf5("x")["x"]);
            ct::save_hdf5("x", {{"x", x}, {"y", x}});
            for (auto& batch : batches) use(batch[0]);
            static_assert(!std::ranges::range<ct::Array>);
        })"),
              "");
}

}  // namespace
}  // namespace catena::structure
