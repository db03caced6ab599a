#pragma once

#include <cstdint>

namespace catena {

/// Counts changes of what the code of a region uses beside its arguments and the content of states:
/// an optimizer's settings, rules and hooks, a link's hooks and layers, update flags, which
/// variable a parameter is. A call skips the code only if there was none since the one that ran.
uint64_t code_changes() noexcept;
void note_code_change() noexcept;

}  // namespace catena
