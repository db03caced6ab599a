#include "runtime/program/schedule/views.h"

namespace catena::program {

std::optional<View> reshaped(const View& view, const Shape& shape) {
    View result = view;
    result.type.shape = shape;
    if (view.contiguous() || element_count(shape) <= 1) {
        result.strides = contiguous_strides(shape);
        return result;
    }
    // Runs of old and new dimensions with equal products; the old ones of a run must be contiguous.
    result.strides = Dims::filled(shape.rank(), 0);
    const Shape& old = view.type.shape;
    int i = 0, j = 0;
    while (i < old.rank() && j < shape.rank()) {
        int64_t old_size = old[i], new_size = shape[j];
        int i_end = i + 1, j_end = j + 1;
        while (old_size != new_size) {
            if (old_size < new_size)
                old_size *= old[i_end++];
            else
                new_size *= shape[j_end++];
        }
        int64_t stride = 0;
        bool any = false;
        for (int d = i_end - 1; d >= i; --d) {
            if (old[d] == 1) continue;
            if (any && view.strides[d] != stride) return std::nullopt;
            any = true;
            stride = view.strides[d] * old[d];
        }
        int64_t inner = 0;
        for (int d = i_end - 1; d >= i; --d)
            if (old[d] != 1) {
                inner = view.strides[d];
                break;
            }
        for (int d = j_end - 1; d >= j; --d) {
            result.strides[d] = inner;
            inner *= shape[d];
        }
        i = i_end;
        j = j_end;
    }
    return result;
}

View transposed(const View& view, std::span<const int64_t> axes) {
    View result = view;
    for (size_t i = 0; i < axes.size(); ++i) {
        result.type.shape[int(i)] = view.type.shape[int(axes[i])];
        result.strides[int(i)] = view.strides[int(axes[i])];
    }
    return result;
}

View broadcast(const View& view, const Shape& shape) {
    View result = view;
    result.type.shape = shape;
    result.strides = Dims::filled(shape.rank(), 0);
    int skip = shape.rank() - view.type.shape.rank();
    for (int d = 0; d < view.type.shape.rank(); ++d)
        if (view.type.shape[d] != 1) result.strides[d + skip] = view.strides[d];
    return result;
}

View sliced(const View& view, std::span<const int64_t> begin, std::span<const int64_t> step,
            const Shape& shape) {
    View result = view;
    result.type.shape = shape;
    for (int d = 0; d < shape.rank(); ++d) {
        result.offset += begin[size_t(d)] * view.strides[d];
        result.strides[d] = view.strides[d] * step[size_t(d)];
    }
    if (element_count(shape) == 0) result.offset = view.offset;
    return result;
}

}  // namespace catena::program
