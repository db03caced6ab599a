#include "tools/catena/function_help.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/core.h>

#ifdef CATENA_HAS_DESCRIPTIONS
#include "frontend/descriptions/description.h"
#endif

namespace catena::tool {
namespace {

#ifndef CATENA_HAS_DESCRIPTIONS
std::string_view description(std::string_view) { return {}; }
#endif

constexpr size_t line_columns = 100;

/// Lines of whole words, each behind `indent` blanks; the first one has room for `begin` instead.
std::string wrapped(std::string_view text, const std::string& begin, size_t indent) {
    std::string all = begin, line;
    const auto end_line = [&] {
        all += line + "\n";
        line.clear();
    };
    while (!text.empty()) {
        const size_t end = std::min(text.find_first_of(" \n"), text.size());
        const std::string_view word = text.substr(0, end);
        if (!line.empty() && indent + line.size() + 1 + word.size() > line_columns) {
            end_line();
            all += std::string(indent, ' ');
        }
        line += (line.empty() ? "" : " ") + std::string(word);
        const bool is_paragraph = text.substr(end).starts_with("\n\n");
        text.remove_prefix(end);
        text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
        if (!is_paragraph || text.empty()) continue;
        end_line();
        all += "\n" + std::string(indent, ' ');
    }
    end_line();
    return all;
}

}  // namespace

void print_function(const FunctionDef& def) {
    std::string arrays, text = def.signature + "\n";
    if (const std::string_view what = description(def.name); !what.empty())
        text += wrapped(what, "  ", 2) + "\n";
    size_t width = std::string_view("returns").size();
    for (const FunctionParameter& p : def.parameters) width = std::max(width, p.name.size());
    const auto tell = [&](const std::string& name) {
        const std::string_view what = description(def.name + "." + name);
        if (!what.empty()) text += wrapped(what, fmt::format("  {:<{}}  ", name, width), width + 4);
    };
    const size_t before = text.size();
    for (const FunctionParameter& p : def.parameters) {
        tell(p.name);
        if (p.is_value()) continue;
        arrays += (arrays.empty() ? "" : ", ") + p.name;
        if (p.kind == FunctionParameter::Kind::arrays) arrays += " (any number)";
    }
    tell("returns");
    if (text.size() > before) text += "\n";
    fmt::print("{}  arrays, in this order, from files: {}\n{}", text,
               arrays.empty() ? "none" : arrays,
               def.value_count > 0 ? "  the others by --set NAME=JSON\n" : "");
}

}  // namespace catena::tool
