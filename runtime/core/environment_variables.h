#pragma once

#include <span>
#include <string>
#include <string_view>

namespace catena::environment {

/// A variable of Catena's own: what `catena info --env` and docs/environment.md say. Every CATENA_ name that is read must
/// be here.
struct VariableInfo {
    const char* name;
    const char* type;      ///< What its value may be, in words.
    const char* fallback;  ///< What holds when it is not set.
    const char* meaning;
};
std::span<const VariableInfo> variables();  ///< By name.

/// The names in the environment that begin with CATENA_ and are none of the above, one message each, with the nearest.
/// CATENA_TEST_ is free for tests.
std::string complaints_about_unknown_names();

/// All variables as a page of Markdown: docs/environment.md.
std::string reference_page();

}  // namespace catena::environment
