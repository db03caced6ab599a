// The pieces of C++ in README.md and docs/ compile as they are printed.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/structure/snippets.h"
#include "tests/structure/source_tree.h"
#include "tests/support/command.h"

namespace catena::structure {
namespace {

namespace fs = std::filesystem;

void expect_compiles(const std::string& name, const std::string& text) {
    const fs::path folder = folder_of_headers(), source = folder / name;
    std::ofstream(source) << text;
    const auto result =
        testing::run(fmt::format("{} -std=c++20 -fsyntax-only -I{} -I{} {}", CATENA_CXX,
                                 folder.string(), root().string(), source.string()));
    EXPECT_EQ(result.status, 0) << result.output;
}

TEST(Snippets, of_code_compile_among_what_they_take_as_given) {
    std::string includes =
                    "#include \"tests/structure/snippets_prelude.h\"\n#include "
                    "\"runtime/ops/by_name/function.h\"\n"
                    "#include \"runtime/ops/define/define.h\"\n",
                text;
    int count = 0;
    for (const std::string& page : pages()) {
        // How the library is extended is told in its own words.
        const bool is_library_code = page == "docs/adding_an_op.md";
        for (const Snippet& snippet : snippets_of(page)) {
            if (snippet.is_program() || snippet.is_row()) continue;
            for (const std::string& line : snippet.code)
                if (line.starts_with("#include")) {
                    includes += line + "\n";
                    EXPECT_TRUE(line.starts_with("#include <"))
                        << page << ": users find headers as <catena/...>: " << line;
                }
            text += fmt::format("{}piece{}{} {{\n{}}}\n",
                                is_library_code ? "namespace catena::" : "void ", ++count,
                                is_library_code ? "" : "()", code_of(snippet, false));
        }
    }
    EXPECT_GT(count, 20) << "the pages were not read";
    expect_compiles("pieces.cpp", includes + text);
}

TEST(Snippets, that_are_programs_compile_alone) {
    int count = 0;
    for (const std::string& page : pages())
        for (const Snippet& snippet : snippets_of(page))
            if (snippet.is_program())
                expect_compiles(fmt::format("program{}.cpp", ++count), code_of(snippet, true));
    EXPECT_GT(count, 1);
}

}  // namespace
}  // namespace catena::structure
