#pragma once

#include <string>

#include "runtime/core/array/array.h"

namespace catena {

/// The dtype in which unsigned integers of 2, 4 or 8 bytes, which Catena lacks, are read: int32 or
/// int64.
inline constexpr Dtype widened_dtype(size_t bytes) {
    return bytes == 2 ? Dtype::int32 : Dtype::int64;
}

/// Turns unsigned integers of `bytes` bytes each, which lie at the beginning of the memory of
/// `array`, into its elements; its dtype is widened_dtype(bytes). FileError naming `name`, element
/// and value where one of 8 bytes is 2^63 or more.
void widen_unsigned(const Array& array, size_t bytes, const std::string& name);

}  // namespace catena
