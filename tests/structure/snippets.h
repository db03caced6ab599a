#pragma once

#include <string>
#include <vector>

namespace catena::structure {

/// A block of C++ on a page of the documentation.
struct Snippet {
    std::string page;
    size_t line = 0;  ///< Of its first line, from 1.
    std::vector<std::string> code;
    std::vector<std::string> printed;  ///< The block without a language directly below, if any.
    bool is_run = true;                ///< False below the comment <!-- compiled only -->.

    bool has(const std::string& begin) const;
    bool is_program() const { return has("int main("); }
    bool is_row() const { return has("{."); }  ///< Of a table.
};

/// README.md and docs/*.md, whose snippets are compiled among what
/// tests/structure/snippets_prelude.h declares.
std::vector<std::string> pages();

/// The pages whose snippets are one program each, which is run: docs/first_hour and docs/how_to.
std::vector<std::string> lessons();

std::vector<Snippet> snippets_of(const std::string& page);

/// With their place for the compiler's messages, and without includes unless they are wanted.
std::string code_of(const Snippet& snippet, bool with_includes);

/// A folder in which <catena/catena.h> and <catena/frontend/...> are found, as in an installation.
std::string folder_of_headers();

}  // namespace catena::structure
