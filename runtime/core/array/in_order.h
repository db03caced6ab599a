#pragma once

#include <optional>

#include "runtime/core/array/array.h"
#include "runtime/core/array/memory_order.h"

namespace catena {

bool lies_channels_last(const Array& array);
/// Row-major also where the array lies in neither order.
MemoryOrder order_of(const Array& array);
/// Uninitialised, on the device.
Array empty_in(MemoryOrder order, const Type& type, Device& device);
/// The same memory, with the strides of that order also where there is one element; nothing where
/// it lies otherwise.
std::optional<Array> described_in(MemoryOrder order, const Array& array);
/// The same memory, or a copy in that order.
Array in_order(MemoryOrder order, const Array& array);

}  // namespace catena
