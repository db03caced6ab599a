#pragma once

#include <optional>

#include "runtime/core/array/array.h"
#include "runtime/core/array/memory_order.h"

namespace catena {

bool lies_channels_last(const Array& array);
/// The order in which the array's elements lie in memory; row_major also for an array that is in
/// neither order.
MemoryOrder order_of(const Array& array);
/// An uninitialised array on the device, with its elements in that order.
Array empty_in(MemoryOrder order, const Type& type, Device& device);
/// A view of the array whose strides are those of `order`, also along axes of size 1. Nothing where
/// the elements lie otherwise.
std::optional<Array> described_in(MemoryOrder order, const Array& array);
/// A view of the array where its elements lie in that order already, else a copy in that order.
Array in_order(MemoryOrder order, const Array& array);

}  // namespace catena
