#include "tools/catena/terminal.h"

#include <cstdlib>

#include <unistd.h>

#include "runtime/core/system/printable.h"

namespace catena::tool {
namespace {

std::string when_to_color = "auto";

/// https://no-color.org and https://bixense.com/clicolors: present and not empty.
bool is_set(const char* name) {
    const char* value = std::getenv(name);
    return value && *value;
}

bool has_color(std::FILE* stream) {
    if (when_to_color != "auto") return when_to_color == "always";
    if (is_set("NO_COLOR")) return false;
    if (is_set("CLICOLOR_FORCE") && std::string_view(std::getenv("CLICOLOR_FORCE")) != "0")
        return true;
    const char* terminal = std::getenv("TERM");
    return isatty(fileno(stream)) && terminal && std::string_view(terminal) != "dumb";
}

const char* code_of(Style style) {
    switch (style) {
        case Style::error:
            return "1;31";
        case Style::warning:
            return "1;33";
        case Style::heading:
            return "1";
        case Style::good:
            return "32";
        case Style::bad:
            return "31";
    }
    return "0";
}

void print_labelled(Style style, std::string_view text) {
    const std::string line =
        styled(style, "catena:", stderr) + " " + printable(text, "\n\t") + "\n";
    std::fputs(line.c_str(), stderr);
}

}  // namespace

void set_color(const std::string& when) { when_to_color = when; }

std::string styled(Style style, std::string_view text, std::FILE* stream) {
    if (text.empty() || !has_color(stream)) return std::string(text);
    return "\033[" + std::string(code_of(style)) + "m" + std::string(text) + "\033[0m";
}

void print_error(std::string_view text) { print_labelled(Style::error, text); }
void print_warning(std::string_view text) { print_labelled(Style::warning, text); }

void print_usage_error(std::string_view text) {
    const size_t end = text.find('\n');
    const std::string rest = printable(end == text.npos ? "" : text.substr(end), "\n\t");
    std::fputs((styled(Style::error, printable(text.substr(0, end), "\t"), stderr) + rest).c_str(),
               stderr);
}

}  // namespace catena::tool
