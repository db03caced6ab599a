#pragma once

#include <cstdint>

namespace catena {

/// to[r * to_row + c] = from[c * from_column + r] for r < rows and c < columns, of elements of 1,
/// 2, 4 or 8 bytes.
void transpose_elements(int64_t element, void* to, int64_t to_row, const void* from,
                        int64_t from_column, int64_t rows, int64_t columns);

}  // namespace catena
