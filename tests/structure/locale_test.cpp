// Numbers are written and read with a point, and letters are those of ASCII, whatever locale the
// program has chosen: nothing that follows setlocale() or std::locale::global() is used for them.
//
// How it is checked: the sources name no such function (from_chars, read_number and fmt without
// 'L' are what they use), and the libraries call no stream for a number: in their tables of symbols
// the types are known that the text does not show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

namespace fs = std::filesystem;

/// A word, a text in quotes, or another character of a source; comments are none.
struct Token {
    std::string text;
    int line;
};

/// Where what begins at `at` ends: after the next `end`.
size_t after(const std::string& source, size_t at, const std::string& end) {
    const size_t found = source.find(end, at);
    return found == source.npos ? source.size() : found + end.size();
}

size_t end_of_text(const std::string& source, size_t at) {
    if (at > 0 && source[at - 1] == 'R' && source[at] == '"') {
        const size_t open = source.find('(', at);
        return after(source, at, ")" + source.substr(at + 1, open - at - 1) + "\"");
    }
    const char quote = source[at++];
    while (at < source.size() && source[at] != quote && source[at] != '\n')
        at += source[at] == '\\' ? 2 : 1;
    return std::min(at + 1, source.size());
}

size_t end_of_token(const std::string& source, size_t at) {
    const auto in_word = [&](size_t i) {
        return i < source.size() && (std::isalnum(uint8_t(source[i])) || source[i] == '_');
    };
    if (source.compare(at, 2, "//") == 0) return std::min(source.find('\n', at), source.size());
    if (source.compare(at, 2, "/*") == 0) return after(source, at + 2, "*/");
    if (source[at] == '"' || source[at] == '\'') return end_of_text(source, at);
    size_t end = at + 1;
    if (in_word(at))  // 20'000 is one word.
        while (in_word(end) ||
               (source[end] == '\'' && std::isdigit(uint8_t(source[at])) && in_word(end + 1)))
            ++end;
    return end;
}

std::vector<Token> tokens_of(const std::string& source) {
    std::vector<Token> tokens;
    int line = 1;
    for (size_t at = 0, end; at < source.size(); at = end) {
        end = end_of_token(source, at);
        const std::string text = source.substr(at, end - at);
        if (!text.starts_with("//") && !text.starts_with("/*") && text != " " && text != "\n")
            tokens.push_back({text, line});
        line += int(std::count(text.begin(), text.end(), '\n'));
    }
    return tokens;
}

/// What is wrong in a source, each with its line.
std::vector<std::string> offences(const std::string& source, bool of_letters = true) {
    static const std::regex function(
        "strto[fd]|strtold|sto[fd]|stold|atof|v?[fs]?scanf|setprecision|localeconv|setlocale"),
        letters(
            "is(alpha|alnum|digit|xdigit|space|blank|upper|lower|punct|print|graph|cntrl)|"
            "to(lower|upper)|strn?casecmp|strcoll|strxfrm|strftime"),
        prints("(v|w|d)?(f|s|sn|as)?printf"),
        float_conversion(R"(%[-+ #0']*[0-9*]*(\.[0-9*]*)?[lL]?[aAeEfFgG])"),
        localised(R"(\{\d*:[^{}"]*(L[^{}"]?|[aA])\})");
    std::vector<std::string> found;
    bool in_print = false;
    std::string before;
    for (const auto& [text, line] : tokens_of(source)) {
        const std::string previous = std::exchange(before, text);
        const std::string place = std::to_string(line) + ": " + text;
        if (text == ";") in_print = false;
        if (text[0] == '"') {
            if (in_print && std::regex_search(text, float_conversion))
                found.push_back(place + " prints a float by the locale: fmt::print does not");
            if (text.size() < 500 && std::regex_search(text, localised))
                found.push_back(place +
                                " is written by the locale: leave the L away; std::to_chars writes "
                                "hexadecimal floats");
        } else if (std::regex_match(text, function)) {
            found.push_back(place + " follows the locale: read_number and fmt do not");
        } else if (of_letters && std::regex_match(text, letters) && previous != ".") {
            found.push_back(place + " follows the locale: runtime/core/system/ascii.h does not");
        } else if (std::regex_match(text, prints)) {
            in_print = true;
        }
    }
    return found;
}

TEST(Locale, offences_are_found_in_code_and_not_in_comments_and_texts) {
    EXPECT_EQ(offences("double x = std::strtod(text, &end);").size(), 1u);
    EXPECT_EQ(offences("f(\"strtod\");  // std::stod is not used\n/* sscanf\n */").size(), 0u);
    EXPECT_EQ(offences("std::fprintf(stderr, \"%d\" \" of %.3f\", a, b);").size(), 1u);
    EXPECT_EQ(offences("std::printf(\"%d %5s %%\", a, b); g(\"%f\");").size(), 0u);
    EXPECT_EQ(offences("fmt::format(\"{:.2Lf}\", x);\nfmt::format(\"{:L}\", x);").size(), 2u);
    EXPECT_EQ(offences("fmt::format(\"{:>5}L {}\", x);").size(), 0u);
    EXPECT_EQ(offences("fmt::format(\"{:a}f {:A}\", x, y);").size(), 1u);
    EXPECT_EQ(offences("\n\nauto x = std::stof(s);").at(0).substr(0, 2), "3:");
    EXPECT_EQ(offences("if (std::isspace(c)) c = tolower(c);").size(), 2u);
    EXPECT_EQ(offences("if (std::isspace(c)) c = tolower(c);", false).size(), 0u);
    EXPECT_EQ(offences("ascii::is_space(c); text.lower(); f(\"isspace\");").size(), 0u);
}

TEST(Locale, no_source_reads_or_writes_floats_or_knows_letters_by_it) {
    const auto check = [](const std::string& file) {
        // Examples are whole programs, which choose no locale.
        for (const std::string& offence : offences(read(file), !file.starts_with("examples/")))
            ADD_FAILURE() << file << ":" << offence;
    };
    const std::vector<std::string> folders = {"runtime",  "ir",    "passes",  "codegen",
                                              "frontend", "tools", "examples"};
    for (const std::string& folder : folders)
        for (const std::string& file : sources_below(folder)) check(file);
    for (const std::string& file : code_files())  // Those in plain C.
        if (file.ends_with(".c") &&
            std::ranges::find(folders, file.substr(0, file.find('/'))) != folders.end())
            check(file);
}

TEST(Locale, no_library_writes_a_number_to_a_stream_or_reads_a_float_from_one) {
    int libraries = 0;
    // Numbers written to streams, which get separators of thousands, floats read from them, and
    // what std::to_string(double) is made of, as the compiler names them.
    static const std::regex symbol(
        "_ZNSo9_M_insertI[defmlxy]E|_ZNSolsE[is]|_ZNSi10_M_extractI[def]E|12__to_xstring");
    for (const auto& entry : fs::directory_iterator(CATENA_BINARY_DIR "/lib")) {
        const std::string name = entry.path().filename();
        // The compiler's contains LLVM, whose numbers in texts are APFloat's own.
        if (!entry.is_regular_file() || !name.starts_with("libcatena") ||
            name.starts_with("libcatena_compiler") || name.find(".so") == name.npos)
            continue;
        ++libraries;
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string content(std::istreambuf_iterator<char>(file), {});
        for (const char* part : {"_M_insertI", "_M_extractI", "_ZNSolsE", "__to_xstring"})
            for (size_t at = content.find(part); at != content.npos;
                 at = content.find(part, at + 1)) {
                const size_t begin = content.rfind('\0', at) + 1;
                const std::string whole = content.c_str() + begin;
                EXPECT_FALSE(std::regex_search(whole, symbol))
                    << name << " uses " << whole << ": fmt::format, read_number or from_chars";
            }
    }
    EXPECT_GT(libraries, 0) << "of " CATENA_BINARY_DIR "/lib";
}

}  // namespace
}  // namespace catena::structure
