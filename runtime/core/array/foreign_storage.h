#pragma once

#include "runtime/core/array/array.h"

namespace catena {

/// Destroys a storage that is_foreign, and gives its memory back.
void release_foreign(Storage* storage) noexcept;
/// ForeignMemory::others_may_write of a storage that is_foreign.
bool others_may_write(const Storage& foreign);

}  // namespace catena
