// A mutex of which the process has one is taken by forks (runtime/core/system/fork.h): otherwise a
// child could wait for ever for a thread that it does not have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

using Lines = std::vector<std::string>;

size_t indent_of(const std::string& line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

/// What it declares is not seen elsewhere.
bool is_source(const std::string& file) { return file.ends_with(".cpp"); }

/// The class whose body holds line `at`; empty if there is none.
std::string class_around(const Lines& lines, size_t at) {
    static const std::regex head(R"(^\s*(?:struct|class)\s+(?:\w+::)*(\w+)[^;]*$)");
    size_t indent = indent_of(lines[at]);
    for (size_t i = at; i-- > 0 && indent > 0;) {
        const std::string& line = lines[i];
        if (line.empty() || indent_of(line) >= indent || line.ends_with("private:") ||
            line.ends_with("public:") || line.ends_with("protected:"))
            continue;
        std::smatch match;
        return std::regex_search(line, match, head) ? match[1].str() : std::string();
    }
    return {};
}

/// A class that has a mutex of its own, or holds objects that have, and the line that says so.
struct Holder {
    std::string name, file, line;
};

class Mutexes {
public:
    explicit Mutexes(std::map<std::string, Lines> files) : files_(std::move(files)) {
        for (const auto& [file, lines] : files_) find_in(file, lines);
        for (size_t i = 0; i < holders_.size(); ++i) find_holders_of(i);
    }

    /// FILE: LINE of each that is not taken by forks.
    std::set<std::string> of_the_process() const {
        std::set<std::string> found = single_;
        for (const Holder& holder : holders_)
            for (const auto& [file, lines] : files_)
                if ((file == holder.file || !is_source(holder.file)) && has_one(lines, holder.name))
                    found.insert(holder.file + ": " + holder.line + " of " + holder.name +
                                 ", of which " + file + " has one");
        return found;
    }

private:
    /// As by a constructor: taken_by_forks(mutex), in the file or the source beside it.
    bool is_given_to_forks(const std::string& file, const std::string& declaration) const {
        const std::string name = declaration.substr(declaration.rfind(' ') + 1);
        const std::regex call("taken_by_forks\\((\\w+->|\\w+\\.)?" + name + "\\)");
        for (const std::string& text : {file, file.substr(0, file.rfind('.')) + ".cpp"})
            if (const auto lines = files_.find(text); lines != files_.end())
                for (const std::string& line : lines->second)
                    if (line.find("taken_by_forks") != std::string::npos &&
                        std::regex_search(line, call))
                        return true;
        return false;
    }

    void find_in(const std::string& file, const Lines& lines) {
        static const std::regex mutex(
            R"(^\s*(mutable |inline )*(static )?std::(shared_|recursive_|timed_)*mutex \w[\w, ]*;)");
        for (size_t i = 0; i < lines.size(); ++i) {
            std::smatch match;
            if (lines[i].find("mutex ") == std::string::npos ||
                !std::regex_search(lines[i], match, mutex))
                continue;
            const std::string line = lines[i].substr(indent_of(lines[i]));
            if (is_given_to_forks(file, line.substr(0, line.find(';')))) continue;
            if (indent_of(lines[i]) == 0 || match[2].matched)
                single_.insert(file + ": " + line);
            else if (const std::string name = class_around(lines, i); !name.empty())
                holders_.push_back({name, file, line});
        }
    }

    /// Classes of the same file with members that are, or hold, objects of holder number `i`.
    void find_holders_of(size_t i) {
        const Holder holder = holders_[i];
        if (!is_source(holder.file)) return;
        const std::regex member("^\\s*[\\w:<, ]*\\b" + holder.name + "\\b[>, ]* \\w+;");
        const Lines& lines = files_.at(holder.file);
        for (size_t at = 0; at < lines.size(); ++at) {
            if (lines[at].find(holder.name) == std::string::npos ||
                !std::regex_search(lines[at], member) ||
                lines[at].find("_ptr<") != std::string::npos)
                continue;
            const std::string name = class_around(lines, at);
            if (name.empty() || std::ranges::find(holders_, name, &Holder::name) != holders_.end())
                continue;
            holders_.push_back({name, holder.file, holder.line + " of " + holder.name});
        }
    }

    static bool has_one(const Lines& lines, const std::string& name) {
        const std::regex local("\\bstatic (?!thread_local)[^()]*\\b" + name +
                               "\\b[^()]*(=|;|\\{\\})");
        const std::regex global("^(const |inline )*" + name + "\\b[&*]? \\w+ *(=|;|\\{)");
        return std::ranges::any_of(lines, [&](const std::string& line) {
            return line.find(name) != std::string::npos &&
                   (std::regex_search(line, local) || std::regex_search(line, global));
        });
    }

    const std::map<std::string, Lines> files_;
    std::set<std::string> single_;
    std::vector<Holder> holders_;
};

std::set<std::string> found_in(const std::string& text, const std::string& elsewhere = "") {
    auto split = [](const std::string& whole) {
        Lines lines;
        std::stringstream rest(whole);
        for (std::string line; std::getline(rest, line);) lines.push_back(line);
        return lines;
    };
    return Mutexes({{"a.h", split(text)}, {"b.cpp", split(elsewhere)}}).of_the_process();
}

TEST(Mutexes, of_the_process_are_found) {
    EXPECT_EQ(found_in("std::mutex mutex;").size(), 1u);
    EXPECT_EQ(found_in("    static std::shared_mutex mutex;").size(), 1u);
    EXPECT_EQ(found_in("    static std::mutex& mutex = taken_by_forks(*new std::mutex);").size(),
              0u);
    const std::string table =
        "class Table {\npublic:\n    int rows = 0;\n\nprivate:\n    mutable std::mutex "
        "mutex_;\n};\n";
    EXPECT_EQ(found_in(table).size(), 0u);
    EXPECT_EQ(found_in(table, "    static Table& table = *new Table;").size(), 1u);
    EXPECT_EQ(found_in(table, "    static std::map<int, Table> tables;").size(), 1u);
    EXPECT_EQ(found_in(table, "Table table;").size(), 1u);
    EXPECT_EQ(found_in(table, "    static Table& of(int number);\n    Table table;").size(), 0u);
}

TEST(Mutexes, of_the_process_are_taken_by_forks) {
    std::map<std::string, Lines> files;
    for (const char* folder : {"runtime", "frontend", "ir", "passes", "codegen", "tools"})
        for (const std::string& file : sources_below(folder))
            if (file != "runtime/core/system/fork.cpp")
                files[file] = lines_of(file);  // Its gate is what forks take first.
    EXPECT_THAT(Mutexes(std::move(files)).of_the_process(), testing::IsEmpty())
        << "write: static std::mutex& mutex = taken_by_forks(*new std::mutex);";
}

}  // namespace
}  // namespace catena::structure
