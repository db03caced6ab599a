#include "runtime/core/array/memory_order.h"

namespace catena {
namespace {

/// Dimensions of size 1 are never stepped over.
bool same_walk(const Shape& shape, const Strides& a, const Strides& b) {
    for (int d = 0; d < shape.rank(); ++d)
        if (shape[d] != 1 && a[d] != b[d]) return false;
    return true;
}

}  // namespace

Strides strides_in(MemoryOrder order, const Shape& shape) {
    Strides strides = contiguous_strides(shape);
    if (order == MemoryOrder::row_major || shape.rank() < 3) return strides;
    int64_t step = 1;
    const auto place = [&](int d) {
        strides[d] = step;
        step *= shape[d];
    };
    place(1);
    for (int d = shape.rank() - 1; d >= 2; --d) place(d);
    place(0);
    return strides;
}

std::optional<MemoryOrder> memory_order(const Shape& shape, const Strides& strides) {
    for (MemoryOrder order : {MemoryOrder::row_major, MemoryOrder::channels_last})
        if (same_walk(shape, strides, strides_in(order, shape))) return order;
    return std::nullopt;
}

}  // namespace catena
