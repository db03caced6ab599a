#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace catena::passes {

/// The text of an environment variable; empty when it is not set.
std::string environment(const char* name);

/// A variable that holds a count; nothing when it is empty or not set. CompileError, with `meaning`, for anything else.
std::optional<int64_t> count_in_environment(const char* name, const char* meaning);

/// CompileError, with all `names`, unless `given`, which came from the variable, is one of them.
void check_name(const char* variable, const std::string& given, const std::vector<std::string>& names);

}  // namespace catena::passes
