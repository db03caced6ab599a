#pragma once

#include "runtime/core/array.h"

namespace catena {

/// Destroys a storage that is_foreign, and gives its memory back.
void release_foreign(Storage* storage) noexcept;

}  // namespace catena
