// What the library says by itself goes through say() (runtime/core/system/log.h), which a program
// can redirect or silence: no other source writes to standard error.
#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

/// Lines that name standard error outside of comments and texts.
std::vector<std::string> mentions_of_standard_error(const std::string& source) {
    static const std::regex text(R"("([^"\\]|\\.)*"|//.*)"),
        mention(R"(\b(stderr|STDERR_FILENO|cerr|clog|perror|errs)\b)");
    std::vector<std::string> found;
    std::istringstream lines(source);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (std::regex_search(std::regex_replace(line, text, ""), mention))
            found.push_back(std::to_string(number) + ": " + line);
    }
    return found;
}

TEST(LogStructure, mentions_are_found_in_code_and_not_in_comments_and_texts) {
    EXPECT_EQ(mentions_of_standard_error("std::fprintf(stderr, \"x\");").size(), 1u);
    EXPECT_EQ(mentions_of_standard_error("std::cerr << x;\nllvm::errs() << x;").size(), 2u);
    EXPECT_EQ(mentions_of_standard_error("f(\"stderr\");  // to stderr").size(), 0u);
}

TEST(LogStructure, nothing_but_say_writes_to_standard_error) {
    const std::vector<std::string> others = {
        "runtime/core/system/log.cpp",                     // say() itself
        "frontend/trainer/extensions/stop_on_signal.cpp",  // a signal handler, which asks is_said()
        "frontend/trainer/extensions/report/run_program.cpp",  // the stream of a child
        "passes/pipeline/dump.cpp",          // CATENA_PRINT_IR and CATENA_TIME ask for it
        "passes/analysis/change_limit.cpp",  // CATENA_PASS_LIMIT asks for it
    };
    for (const char* folder : {"runtime", "ir", "passes", "codegen", "frontend"})
        for (const std::string& file : sources_below(folder)) {
            const std::vector<std::string> found = mentions_of_standard_error(read(file));
            if (std::ranges::find(others, file) != others.end())
                EXPECT_FALSE(found.empty()) << file << " needs no exception";
            else
                for (const std::string& line : found)
                    ADD_FAILURE() << file << ":" << line
                                  << "\nsay() does (runtime/core/system/log.h)";
        }
}

}  // namespace
}  // namespace catena::structure
