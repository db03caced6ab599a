#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena::environment {

/// An environment variable of Catena, for `catena info --env` and docs/environment.md. Every
/// CATENA_ name that is read must be listed.
struct VariableInfo {
    const char* name;
    const char* type;      ///< The values that it may have, in words.
    const char* fallback;  ///< The value if it is not set.
    const char* meaning;
    /// True if it asks for output that appears only while programs are compiled.
    bool shows_compilation = false;
};
/// All variables, sorted by name.
std::span<const VariableInfo> variables();

/// One warning for each unknown name in the environment that begins with CATENA_, with the nearest
/// known one. CATENA_TEST_ is reserved for tests.
std::vector<std::string> complaints_about_unknown_names();

/// All variables as a page of Markdown: docs/environment.md.
std::string reference_page();

}  // namespace catena::environment
