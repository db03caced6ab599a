#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Readers of environment variables. An empty variable counts as unset. An invalid value is a
/// ValueError that names the variable, the value and the valid ones, so variables are read at first
/// use, where it can be caught, never while a library is loaded.
namespace catena::environment {

std::optional<std::string> text(const char* name);
/// The variable as a truth value: 1, true, yes, on, or 0, false, no, off, in any case; `fallback`
/// if it is unset.
bool flag(const char* name, bool fallback);
/// The variable as a decimal number from `least` to `most`.
std::optional<int64_t> whole_number(const char* name,
                                    int64_t least = std::numeric_limits<int64_t>::min(),
                                    int64_t most = std::numeric_limits<int64_t>::max());
std::optional<double> positive_number(const char* name);
/// The variable, which must be one of `choices`.
std::optional<std::string> choice(const char* name, const std::vector<std::string>& choices);
/// The variable as a list of `choices` that are separated by commas.
std::vector<std::string> list(const char* name, const std::vector<std::string>& choices);

}  // namespace catena::environment
