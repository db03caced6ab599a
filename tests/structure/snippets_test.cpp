// The pieces of C++ in README.md and docs/ compile as they are printed.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/structure/source_tree.h"
#include "tests/support/command.h"

namespace catena::structure {
namespace {

namespace fs = std::filesystem;

struct Piece {
    std::string page;
    size_t line = 0;  ///< Of its first line, from 1.
    std::vector<std::string> code;

    bool has(const std::string& begin) const {
        for (const std::string& text : code)
            if (text.starts_with(begin)) return true;
        return false;
    }
    bool is_program() const { return has("int main("); }
    bool is_row() const { return has("{."); }  ///< Of a table.
};

std::vector<std::string> pages() {
    std::vector<std::string> found{"README.md"};
    for (const auto& entry : fs::directory_iterator(root() / "docs"))
        if (entry.path().extension() == ".md")
            found.push_back("docs/" + entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<Piece> pieces_of(const std::string& page) {
    std::vector<Piece> pieces;
    bool inside = false;
    const std::vector<std::string> lines = lines_of(page);
    for (size_t i = 0; i < lines.size(); ++i) {
        const std::string text =
            lines[i].substr(std::min(lines[i].find_first_not_of(' '), lines[i].size()));
        if (text == "```cpp") pieces.push_back({page, i + 2, {}});
        if (text.starts_with("```"))
            inside = text == "```cpp";
        else if (inside)
            pieces.back().code.push_back(lines[i]);
    }
    return pieces;
}

/// Below it <catena/catena.h> and <catena/frontend/...> are found, as in an installation.
fs::path installed_headers() {
    const fs::path folder = fs::path(CATENA_BINARY_DIR) / "snippets";
    fs::create_directories(folder / "catena");
    const auto link = [&](const fs::path& to, const char* name) {
        fs::remove(folder / "catena" / name);
        fs::create_symlink(root() / to, folder / "catena" / name);
    };
    link("frontend", "frontend");
    link("runtime", "runtime");
    link("frontend/include/catena/catena.h", "catena.h");
    return folder;
}

void expect_compiles(const std::string& name, const std::string& text) {
    const fs::path folder = installed_headers(), source = folder / name;
    std::ofstream(source) << text;
    const auto result =
        testing::run(fmt::format("{} -std=c++20 -fsyntax-only -I{} -I{} {}", CATENA_CXX,
                                 folder.string(), root().string(), source.string()));
    EXPECT_EQ(result.status, 0) << result.output;
}

std::string lines_of(const Piece& piece, bool with_includes) {
    std::string text = fmt::format("#line {} \"{}\"\n", piece.line, piece.page);
    for (const std::string& line : piece.code)
        text += (line.starts_with("#include") && !with_includes ? "" : line) + "\n";
    return text;
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
        for (const Piece& piece : pieces_of(page)) {
            if (piece.is_program() || piece.is_row()) continue;
            for (const std::string& line : piece.code)
                if (line.starts_with("#include")) {
                    includes += line + "\n";
                    EXPECT_TRUE(line.starts_with("#include <"))
                        << page << ": users find headers as <catena/...>: " << line;
                }
            text += fmt::format("{}piece{}{} {{\n{}}}\n",
                                is_library_code ? "namespace catena::" : "void ", ++count,
                                is_library_code ? "" : "()", lines_of(piece, false));
        }
    }
    EXPECT_GT(count, 20) << "the pages were not read";
    expect_compiles("pieces.cpp", includes + text);
}

TEST(Snippets, that_are_programs_compile_alone) {
    int count = 0;
    for (const std::string& page : pages())
        for (const Piece& piece : pieces_of(page))
            if (piece.is_program())
                expect_compiles(fmt::format("program{}.cpp", ++count), lines_of(piece, true));
    EXPECT_GT(count, 1);
}

}  // namespace
}  // namespace catena::structure
