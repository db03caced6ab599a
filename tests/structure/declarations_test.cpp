// What an op declares stands in its definition (OpDef::declared). A variable of runtime/ops that
// exists for what its initialiser does, `const bool op_x_role = set_role(op_x, ...)`, says it
// beside the definition, where no reader looks for it and any order of initialisation may come
// between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

/// Whether the line begins a truth value at file scope that is computed when the library is loaded.
bool is_computed_at_loading(const std::string& line) {
    static const std::regex variable(
        R"((\[\[maybe_unused\]\] )?(static |inline )*(const )?bool \w+( =|\{| *$).*)");
    return std::regex_match(line, variable);
}

TEST(DeclarationsOfOps, beside_their_definitions_are_recognised) {
    EXPECT_TRUE(is_computed_at_loading("const bool op_x_role = set_role(op_x, 1);"));
    EXPECT_TRUE(is_computed_at_loading("static const bool op_x_has_a_text ="));
    EXPECT_TRUE(is_computed_at_loading("[[maybe_unused]] const bool declared{declare(op_x)};"));
    EXPECT_FALSE(is_computed_at_loading("    const bool all_floats = is_float(dtype);"));
    EXPECT_FALSE(is_computed_at_loading("bool is_message(const OpDef& op) {"));
    EXPECT_FALSE(is_computed_at_loading("constexpr bool wide = sizeof(T) == 8;"));
}

TEST(DeclarationsOfOps, stand_in_their_definitions) {
    std::vector<std::string> found;
    size_t definitions = 0;
    for (const std::string& file : sources_below("runtime/ops"))
        for (const std::string& line : lines_of(file)) {
            definitions += line.find(".declared = {") != line.npos;
            if (is_computed_at_loading(line)) found.push_back(file + ": " + line);
        }
    EXPECT_GT(definitions, 20u) << "the sources were not read";
    EXPECT_THAT(found, ::testing::IsEmpty()) << "write: .declared = {...} in the op's definition";
}

}  // namespace
}  // namespace catena::structure
