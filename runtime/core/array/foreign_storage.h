#pragma once

#include "runtime/core/array/array.h"

namespace catena {

/// Destroys a storage that is_foreign, and gives its memory back.
void release_foreign(Storage* storage) noexcept;
/// Whether code outside Catena may write into a foreign storage's memory: the flag that its
/// ForeignMemory was made with.
bool others_may_write(const Storage& foreign);

}  // namespace catena
