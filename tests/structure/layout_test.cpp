// .clang-format decides the layout of all C and C++.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <set>

#include "tests/structure/proven.h"
#include "tests/structure/side_by_side.h"
#include "tests/structure/source_tree.h"
#include "tests/support/command.h"

namespace catena::structure {
namespace {

using testing::run;

/// Others lay out differently, older and newer ones.
const std::string version = " version 22.";

/// Empty where there is none.
std::string clang_format() {
    for (const char* name : {"clang-format-22", "clang-format"}) {
        const auto answer = run(std::string(name) + " --version");
        if (answer.status == 0 && answer.output.find(version) != std::string::npos) return name;
    }
    return "";
}

/// Those of `files`, from the root or absolute, that clang-format would write differently.
std::set<std::string> laid_out_otherwise(const std::string& program,
                                         const std::vector<std::string>& files) {
    const auto answer =
        run(fmt::format("cd '{0}' && {1} --dry-run --style=file:.clang-format '{2}'",
                        root().string(), program, fmt::join(files, "' '")));
    EXPECT_EQ(answer.status, 0) << answer.output;
    std::set<std::string> found;
    for (const std::string& file : files)
        if (("\n" + answer.output).find("\n" + file + ":") != std::string::npos) found.insert(file);
    EXPECT_EQ(found.empty(), answer.output.empty()) << answer.output;
    return found;
}

/// Pieces of lists that others include, as tests/frontend/workload_counts.inc, are no code alone.
bool is_code(const std::string& file) {
    return !file.ends_with(".inc") || file.starts_with("runtime/cpu/") ||
           file.starts_with("tests/ops/");
}

TEST(Layout, finds_the_code) {
    const std::vector<std::string> files = code_files();
    for (const char* file : {"frontend/include/catena/catena.h", "runtime/c/product.c",
                             "runtime/cpu/blocks/vector_math.inc",
                             "tests/structure/layout_test.cpp", "benchmarks/models/gpt.h"})
        EXPECT_THAT(files, ::testing::Contains(file));
    for (const std::string& file : files)
        EXPECT_FALSE(file.starts_with("build") || file.find("/CMakeFiles/") != std::string::npos)
            << file;
}

TEST(Layout, is_that_of_clang_format) {
    const std::string program = clang_format();
    if (program.empty()) GTEST_SKIP() << "there is no clang-format 22 (Debian: clang-format-22)";
    Proven proven(CATENA_BINARY_DIR "/layout_proven");
    const std::string style = run(program + " --version").output + read(".clang-format");
    const auto facts = [&](const std::string& file) { return style + file + "\n" + read(file); };
    std::vector<std::vector<std::string>> chunks;
    for (const std::string& file : code_files()) {
        if (!is_code(file) || proven.has(facts(file))) continue;
        if (chunks.empty() || chunks.back().size() == 50) chunks.emplace_back();
        chunks.back().push_back(file);
    }
    std::mutex mutex;
    std::set<std::string> otherwise;
    side_by_side(chunks.size(), [&](size_t i) {
        const std::set<std::string> found = laid_out_otherwise(program, chunks[i]);
        const std::lock_guard lock(mutex);
        otherwise.insert(found.begin(), found.end());
        for (const std::string& file : chunks[i])
            if (!found.contains(file)) proven.add(facts(file));
    });
    EXPECT_TRUE(otherwise.empty())
        << otherwise.size() << " files are not laid out as .clang-format says; this mends them:\n"
        << program << " -i " << fmt::format("{}", fmt::join(otherwise, " "));
}

TEST(Layout, another_one_is_seen) {
    const std::string program = clang_format();
    if (program.empty()) GTEST_SKIP() << "there is no clang-format 22 (Debian: clang-format-22)";
    const std::string bad = ::testing::TempDir() + "bad.cpp",
                      good = ::testing::TempDir() + "good.cpp";
    std::ofstream(bad) << "int  twice( int x ) {\n  return 2*x;\n}\n";
    std::ofstream(good) << "int twice(int x) { return 2 * x; }\n";
    EXPECT_THAT(laid_out_otherwise(program, {good, bad}), ::testing::ElementsAre(bad));
}

}  // namespace
}  // namespace catena::structure
