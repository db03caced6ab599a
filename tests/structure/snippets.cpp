#include "tests/structure/snippets.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tests/structure/source_tree.h"

namespace catena::structure {

namespace fs = std::filesystem;

namespace {

const std::string compiled_only = "<!-- compiled only -->";

std::vector<std::string> markdown_in(const std::string& folder) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(root() / folder))
        if (entry.path().extension() == ".md")
            found.push_back(folder + "/" + entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
}

std::string without_indent(const std::string& line) {
    return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

}  // namespace

bool Snippet::has(const std::string& begin) const {
    return std::any_of(code.begin(), code.end(),
                       [&](const std::string& line) { return line.starts_with(begin); });
}

std::vector<std::string> pages() {
    std::vector<std::string> found = markdown_in("docs");
    found.insert(found.begin(), "README.md");
    return found;
}

std::vector<std::string> lessons() {
    std::vector<std::string> found = markdown_in("docs/first_hour");
    for (const std::string& page : markdown_in("docs/how_to")) found.push_back(page);
    return found;
}

std::vector<Snippet> snippets_of(const std::string& page) {
    std::vector<Snippet> snippets;
    std::vector<std::string>* block = nullptr;  // That the lines belong to.
    std::vector<std::string> other;
    bool follows_code = false, is_run = true;
    const std::vector<std::string> lines = lines_of(page);
    for (size_t i = 0; i < lines.size(); ++i) {
        const std::string text = without_indent(lines[i]);
        const bool is_fence = text.starts_with("```");
        if (is_fence && block) {
            block = nullptr;
        } else if (is_fence) {
            if (text == "```cpp") {
                snippets.push_back({page, i + 2, {}, {}, is_run});
                block = &snippets.back().code;
            } else {
                block = text == "```" && follows_code ? &snippets.back().printed : &other;
            }
            follows_code = text == "```cpp";
            is_run = true;
        } else if (block) {
            block->push_back(lines[i]);
        } else {
            follows_code = false;
            if (!text.empty()) is_run = text != compiled_only;
        }
    }
    return snippets;
}

std::string code_of(const Snippet& snippet, bool with_includes) {
    std::string text = fmt::format("#line {} \"{}\"\n", snippet.line, snippet.page);
    for (const std::string& line : snippet.code)
        text += (line.starts_with("#include") && !with_includes ? "" : line) + "\n";
    return text;
}

std::string folder_of_headers() {
    const fs::path folder = fs::path(CATENA_BINARY_DIR) / "snippets";
    fs::create_directories(folder / "catena");
    const auto link = [&](const fs::path& to, const char* name) {
        fs::remove(folder / "catena" / name);
        fs::create_symlink(root() / to, folder / "catena" / name);
    };
    link("frontend", "frontend");
    link("runtime", "runtime");
    link("frontend/include/catena/catena.h", "catena.h");
    link("runtime/capi.h", "capi.h");
    return folder.string();
}

}  // namespace catena::structure
