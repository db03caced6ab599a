#pragma once

#include "runtime/core/array/array.h"

namespace catena {

/// A copy of elements in host memory as an array on the current device: element [i,j,...] is
/// data[offset + i strides[0] + j strides[1] + ...], in elements. So a picture of rows with gaps, a
/// column, or an array of structs can be read where another library has it. Negative strides go
/// backwards. ShapeError unless there is one stride for each axis.
Array from_host_data(const void* data, const Type& type, const Strides& strides, int64_t offset = 0,
                     const std::source_location& at = std::source_location::current());
/// A copy of row-major elements without gaps in host memory, as an array on the current device.
Array from_host_data(const void* data, const Type& type,
                     const std::source_location& at = std::source_location::current());

}  // namespace catena
