// Sources of one folder are compiled together (cmake/FastBuild.cmake), where their anonymous
// namespaces are one. So a name in them stands in one file of a folder: a second one would be an
// error there or, worse, an overload that takes a call meant for the first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

using Lines = std::vector<std::string>;

/// What a line at the outermost level of an anonymous namespace declares: the name, and the text of
/// an alias, which may stand twice. Empty: nothing.
std::pair<std::string, std::string> declared_in(const std::string& line) {
    static const std::regex type(R"(^(?:struct|class|union|enum class|enum) (\w+).*)"),
        alias(R"(^(?:using|namespace) (\w+) = (.*))"), function(R"(^[\w:<>,*& ]+[ *&](\w+)\(.*)"),
        variable(R"(^[\w:<>,*& ]+[ *&](\w+)(?:\[[^\]]*\])* *(?:=|;|\{|$).*)");
    if (line.empty() || !(std::isalpha(line[0]) || line[0] == '_')) return {};
    std::smatch match;
    if (std::regex_match(line, match, alias)) return {match[1], match[2]};
    if (line.starts_with("using ") || line.starts_with("template")) return {};
    if (std::regex_match(line, match, type) || std::regex_match(line, match, function) ||
        std::regex_match(line, match, variable))
        return {match[1], ""};
    return {};
}

/// FILE: NAME of each name that two files declare, of the files of one folder with their lines.
std::set<std::string> met_names(const std::map<std::string, Lines>& files) {
    std::map<std::string, std::map<std::string, std::string>> places;  // name -> file -> text
    for (const auto& [file, lines] : files) {
        bool anonymous = false;
        for (const std::string& line : lines) {
            if (line == "namespace {") anonymous = true;
            if (line == "}  // namespace") anonymous = false;
            if (!anonymous || line == "namespace {") continue;
            if (const auto [name, text] = declared_in(line); !name.empty())
                places[name][file] = text;
        }
    }
    std::set<std::string> met;
    for (const auto& [name, texts] : places) {
        std::set<std::string> different;
        for (const auto& [file, text] : texts) different.insert(text);
        if (texts.size() < 2 || (different.size() == 1 && *different.begin() != "")) continue;
        for (const auto& [file, text] : texts) met.insert(file + ": " + name);
    }
    return met;
}

std::set<std::string> met_in(const std::string& one, const std::string& other) {
    auto split = [](const std::string& text) {
        Lines lines{"namespace {"};
        std::stringstream rest(text);
        for (std::string line; std::getline(rest, line);) lines.push_back(line);
        lines.push_back("}  // namespace");
        return lines;
    };
    return met_names({{"one.cpp", split(one)}, {"other.cpp", split(other)}});
}

TEST(DistinctNames, names_that_meet_are_found) {
    EXPECT_THAT(met_in("int size_of(const Type& x) {\n", "int64_t size_of(Shape x) {\n"),
                testing::ElementsAre("one.cpp: size_of", "other.cpp: size_of"));
    EXPECT_EQ(met_in("constexpr int most = 3;\n", "const size_t most = 4, few = 2;\n").size(), 2u);
    EXPECT_EQ(met_in("struct Table {\n", "class Table : public Base {\n").size(), 2u);
    EXPECT_EQ(met_in("using Json = nlohmann::json;\n", "using Json = int;\n").size(), 2u);
    EXPECT_EQ(met_in("using Json = nlohmann::json;\n", "using Json = nlohmann::json;\n").size(),
              0u);
    EXPECT_EQ(met_in("int a() {\n    int x = 1;\n", "int b() {\n    int x = 1;\n").size(), 0u);
}

TEST(DistinctNames, of_sources_that_are_compiled_together) {
    std::map<std::string, std::map<std::string, Lines>> folders;
    for (const char* layer : {"runtime", "frontend", "ir", "passes", "codegen", "tools"})
        for (const std::string& file : sources_below(layer)) {
            if (!file.ends_with(".cpp")) continue;
            // Kernels, plug-ins, and programs that are compiled by themselves.
            if (file.starts_with("runtime/cpu/") || file.starts_with("runtime/cuda/") ||
                file.starts_with("frontend/download/"))
                continue;
            folders[file.substr(0, file.rfind('/'))][file] = lines_of(file);
        }
    EXPECT_GT(folders.size(), 20u);
    for (const auto& [folder, files] : folders)
        EXPECT_THAT(met_names(files), testing::IsEmpty())
            << "give one of each a name of its own: the sources of " << folder
            << " are compiled together";
}

}  // namespace
}  // namespace catena::structure
