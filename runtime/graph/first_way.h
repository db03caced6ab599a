#pragma once

#include <cstdint>

namespace catena {

// A link that makes its state in the very call that resets it goes a way that only a first call goes: the next
// call should be recorded, not this one.

void note_first_way();
/// How often this thread was told.
int64_t first_ways();

}  // namespace catena
