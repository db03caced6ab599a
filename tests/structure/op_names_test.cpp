// No list of op names outside the ops' own definitions.
//
// How it is checked: the names come from the registry of this very build. Every string literal of
// the sources outside runtime/ops is compared with them; one that equals an op's name means that
// code there decides by name what it should ask of the OpDef (kind, formula, combine, reads, ...).
// The names of the kinds are no op names, though some ops are called like their kind ("reshape"),
// nor are option values of the public interface that an op happens to share. Inside runtime/ops a
// name may be written in one file only: the one that defines the op.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "runtime/graph/op/op.h"
#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

std::set<std::string> op_names() {
    // gelu(x, approximate="tanh"), the file that LogReport writes, the modes of
    // EarlyStoppingTrigger, a loss with reduce="sum", the array that triplet calls negative, the
    // part of Maxout that is called linear, what ONNX's ScatterElements does with equal places.
    std::set<std::string> other_meaning = {"tanh", "log",      "max",    "min",
                                           "sum",  "negative", "linear", "add"};
    for (int k = 0; k <= int(Kind::call); ++k) other_meaning.insert(std::string(name_of(Kind(k))));
    std::set<std::string> names;
    for (const OpDef* op : all_ops())
        if (!other_meaning.contains(op->name)) names.insert(op->name);
    return names;
}

struct Literal {
    std::string text;
    int line;
};

/// The string literals of a source, without those in // comments; adjacent ones are one, as in C++.
std::vector<Literal> literals_of(const std::string& source) {
    static const std::regex pattern(R"re("((?:[^"\\\n]|\\.)*)"|//[^\n]*|\n|\S)re");
    std::vector<Literal> result;
    int line = 1;
    bool after_literal = false;
    for (std::sregex_iterator it(source.begin(), source.end(), pattern), end; it != end; ++it) {
        const std::string token = it->str();
        if (token == "\n") {
            ++line;
        } else if (token.size() > 1 && token[0] == '"') {
            if (after_literal)
                result.back().text += (*it)[1];
            else
                result.push_back({(*it)[1], line});
            after_literal = true;
        } else if (!token.starts_with("//")) {
            after_literal = false;
        }
    }
    return result;
}

TEST(OpNames, literals_are_found_in_code_and_not_in_comments) {
    const auto literals =
        literals_of("if (name == \"relu\" ||\n x[\"exp\"]) // \"tanh\"\n f(\"not \"\n \"cos\")");
    ASSERT_EQ(literals.size(), 3u);
    EXPECT_EQ(literals[0].text, "relu");
    EXPECT_EQ(literals[1].text, "exp");
    EXPECT_EQ(literals[1].line, 2);
    EXPECT_EQ(literals[2].text, "not cos");
}

TEST(OpNames, nothing_outside_their_definitions_decides_by_name) {
    const auto names = op_names();
    ASSERT_GT(names.size(), 50u);
    for (const char* folder : {"runtime", "ir", "passes", "codegen", "frontend", "tools"})
        for (const auto& file : sources_below(folder)) {
            if (file.starts_with("runtime/ops/")) continue;
            // Speaks of ONNX, whose attributes have values such as "add" and "linear".
            if (file.starts_with("frontend/onnx/importers/")) continue;
            for (const auto& [literal, line] : literals_of(read(file)))
                EXPECT_FALSE(names.contains(literal))
                    << file << ":" << line << " names the op \"" << literal
                    << "\": ask its OpDef for the property instead";
        }
}

TEST(OpNames, each_is_written_in_one_file) {
    const auto names = op_names();
    std::map<std::string, std::set<std::string>> files_of;
    for (const auto& file : sources_below("runtime/ops"))
        for (const auto& [literal, line] : literals_of(read(file)))
            if (names.contains(literal)) files_of[literal].insert(file);
    for (const auto& [name, files] : files_of)
        EXPECT_EQ(files.size(), 1u) << "the op \"" << name << "\" is named in " << *files.begin()
                                    << " and " << *files.rbegin();
}

}  // namespace
}  // namespace catena::structure
