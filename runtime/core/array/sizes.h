#pragma once

#include <initializer_list>

#include "runtime/core/array/shape.h"

namespace catena {

// Sizes that come from numbers of the user's or of a file are computed with these: ShapeError where
// an int64 does not hold the result.

/// The number of elements of an array that is about to be made, and its row-major strides if
/// `dense` is given. ShapeError for a negative size or a number that does not fit. Every new array
/// and view calls this, so element_count() of an existing shape cannot overflow.
int64_t counted_elements(Dtype dtype, const Shape& shape, Strides* dense = nullptr);
/// The number of bytes of an array of that type without gaps; `dense` and errors as for
/// counted_elements().
size_t byte_count(const Type& type, Strides* dense = nullptr);
/// The sum of sizes. ShapeError, naming `op` and the sizes, where it does not fit.
int64_t sum_of_sizes(const char* op, std::initializer_list<int64_t> sizes);
int64_t product_of_sizes(const char* op, std::initializer_list<int64_t> sizes);

}  // namespace catena
