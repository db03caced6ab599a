// The C++ of docs/first_hour and docs/how_to prints what stands below it. The snippets of a page
// are one function; all pages are one program, which is compiled once and run for each of them.
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/structure/snippets.h"
#include "tests/structure/source_tree.h"
#include "tests/support/command.h"

namespace catena::structure {
namespace {

namespace fs = std::filesystem;

const char end_of_snippet = '\x1e';

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == end_of_snippet)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

/// Whether `...` in the pattern stands for any text, also of several lines.
bool matches(const std::string& text, const std::string& pattern) {
    size_t at = 0, begin = 0;
    for (bool is_first = true;; is_first = false) {
        const size_t end = pattern.find("...", begin);
        const std::string part = pattern.substr(begin, end - begin);
        if (end == std::string::npos && !is_first)
            return text.size() >= at + part.size() && text.ends_with(part);
        const size_t found = text.find(part, at);
        if (found == std::string::npos || (is_first && found != 0)) return false;
        at = found + part.size();
        if (end == std::string::npos) return at == text.size();
        begin = end + 3;
    }
}

/// A function for each page, and a main() that calls one of them by its number.
std::string program_of(const std::vector<std::string>& all) {
    std::set<std::string> includes{"#include <cstdlib>", "#include <iostream>"};
    std::string functions, calls;
    for (size_t i = 0; i < all.size(); ++i) {
        functions += fmt::format("void page{}() {{\n", i);
        for (const Snippet& snippet : snippets_of(all[i])) {
            if (snippet.is_program()) continue;
            for (const std::string& line : snippet.code)
                if (line.starts_with("#include")) includes.insert(line);
            functions += snippet.is_run ? code_of(snippet, false)
                                        : "(void)[&] {\n" + code_of(snippet, false) + "};\n";
            functions += fmt::format("std::cout << '\\x{:02x}' << std::flush;\n", end_of_snippet);
        }
        functions += "}\n";
        calls += fmt::format("    if (page == {0}) page{0}();\n", i);
    }
    std::string text;
    for (const std::string& include : includes) text += include + "\n";
    return text + functions +
           "int main(int, char** argv) {\n    const int page = std::atoi(argv[1]);\n" + calls +
           "}\n";
}

class Lessons : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        const fs::path folder = folder_of_headers(), lib = fs::path(CATENA_BINARY_DIR) / "lib";
        program_ = (folder / "lessons").string();
        std::ofstream(program_ + ".cpp") << program_of(lessons());
        const auto result = testing::run(fmt::format(
            "{} -std=c++20 -O0 -I{} -I{} {}.cpp -o {} -L{} -lcatena -lcatena_runtime -Wl,-rpath,{}",
            CATENA_CXX, folder.string(), root().string(), program_, program_, lib.string(),
            lib.string()));
        ASSERT_EQ(result.status, 0) << result.output;
    }

    void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        GTEST_SKIP() << "the libraries have a sanitizer, which programs of users do not have";
#endif
        if (!fs::exists(fs::path(CATENA_BINARY_DIR) / "lib" / "libcatena_compiler.so"))
            GTEST_SKIP() << "the pages tell what the compiler did, and there is none";
    }

    /// What each snippet of a page printed, run in an empty folder.
    static std::vector<std::string> run(size_t page) {
        const fs::path folder = fs::path(CATENA_BINARY_DIR) / "snippets" / "run";
        fs::remove_all(folder);
        fs::create_directories(folder);
        const auto result =
            testing::run(fmt::format("cd {} && CATENA_KERNEL_CACHE=off CATENA_LOG=warning {} {}",
                                     folder.string(), program_, page));
        EXPECT_EQ(result.status, 0) << lessons()[page] << ": " << result.output;
        return parts_of(result.output);
    }

    static std::string program_;
};

std::string Lessons::program_;

TEST_F(Lessons, print_what_stands_below_their_code) {
    size_t count = 0;
    for (size_t page = 0; page < lessons().size(); ++page) {
        const std::vector<std::string> printed = run(page);
        size_t i = 0;
        for (const Snippet& snippet : snippets_of(lessons()[page])) {
            if (snippet.is_program()) continue;
            ASSERT_LT(i, printed.size()) << snippet.page;
            EXPECT_TRUE(matches(printed[i], joined(snippet.printed)))
                << snippet.page << ":" << snippet.line << " prints\n"
                << printed[i];
            ++i, ++count;
        }
    }
    EXPECT_GT(count, 20) << "the pages were not read";
}

TEST(LessonsPatterns, have_dots_for_any_text) {
    EXPECT_TRUE(matches("a\n", "a\n"));
    EXPECT_TRUE(matches("loss 0.123 ms\n", "loss ... ms\n"));
    EXPECT_TRUE(matches("a\nb\nc\n", "a\n...\nc\n"));
    EXPECT_TRUE(matches("a b c\n", "a ...c\n"));
    EXPECT_FALSE(matches("a\n", ""));
    EXPECT_FALSE(matches("", "a\n"));
    EXPECT_FALSE(matches("xa\n", "a\n"));
    EXPECT_FALSE(matches("ab\n", "ab...b\n"));
    EXPECT_FALSE(matches("a b d\n", "a ... c\n"));
}

}  // namespace
}  // namespace catena::structure
