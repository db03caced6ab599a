#pragma once

#include <initializer_list>

#include "runtime/core/array/shape.h"

namespace catena {

// Sizes that come from numbers of the user's or of a file are computed with these: ShapeError where
// an int64 does not hold the result.

/// The elements of an array that is not there yet, and its row-major strides if asked for;
/// ShapeError for a negative size, too. All arrays and views have asked this, so that
/// element_count() of their shapes does not wrap around.
int64_t counted_elements(Dtype dtype, const Shape& shape, Strides* dense = nullptr);
/// Of its elements side by side.
size_t byte_count(const Type& type, Strides* dense = nullptr);
/// `op` and the numbers are named in the message.
int64_t sum_of_sizes(const char* op, std::initializer_list<int64_t> sizes);
int64_t product_of_sizes(const char* op, std::initializer_list<int64_t> sizes);

}  // namespace catena
