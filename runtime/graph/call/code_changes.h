#pragma once

#include <cstdint>

namespace catena {

/// A counter of changes to the objects that a region's code uses beside its arguments and the
/// content of states: an optimizer's settings, rules and hooks, a link's hooks and layers, update
/// flags, and which variable a parameter is. A call may skip the code only if the counter is as it
/// was when the code last ran.
uint64_t code_changes() noexcept;
void note_code_change() noexcept;

}  // namespace catena
