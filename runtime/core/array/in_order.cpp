#include "runtime/core/array/in_order.h"

namespace catena {

bool lies_channels_last(const Array& array) {
    return memory_order(array.shape(), array.strides()) == MemoryOrder::channels_last;
}
MemoryOrder order_of(const Array& array) {
    return memory_order(array.shape(), array.strides()).value_or(MemoryOrder::row_major);
}

Array empty_in(MemoryOrder order, const Type& type, Device& device) {
    return Array::empty(type, device).view(type.shape, strides_in(order, type.shape), 0);
}

std::optional<Array> described_in(MemoryOrder order, const Array& array) {
    const Strides wanted = strides_in(order, array.shape());
    for (int d = 0; d < array.rank(); ++d)
        if (array.dim(d) != 1 && array.strides()[d] != wanted[d]) return std::nullopt;
    return array.view(array.shape(), wanted, array.body()->offset);
}

Array in_order(MemoryOrder order, const Array& array) {
    if (order == MemoryOrder::row_major) return array.as_contiguous();
    if (const std::optional<Array> there = described_in(order, array)) return *there;
    Array made = empty_in(order, array.type(), array.device());
    copy_elements(array, made);
    return made;
}

}  // namespace catena
