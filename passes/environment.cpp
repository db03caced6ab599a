#include "passes/environment.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/ranges.h>

#include "runtime/core/environment.h"
#include "runtime/core/error.h"

namespace catena::passes {

std::string environment(const char* name) {
    return environment::text(name).value_or("");
}

std::optional<int64_t> count_in_environment(const char* name, const char* meaning) {
    const std::string text = environment(name);
    if (text.empty()) return std::nullopt;
    int64_t count = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count < 0)
        fail<CompileError>("{}: '{}' is not a number of at least 0; it takes {}", name, text, meaning);
    return count;
}

void check_name(const char* variable, const std::string& given, const std::vector<std::string>& names) {
    if (std::ranges::find(names, given) == names.end())
        fail<CompileError>("{}: there is no '{}'; there are {}", variable, given, fmt::join(names, ", "));
}

}  // namespace catena::passes
