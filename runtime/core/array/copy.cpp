#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "runtime/core/array/array.h"
#include "runtime/core/array/code_device.h"
#include "runtime/core/array/loop_nest.h"
#include "runtime/core/array/transpose.h"
#include "runtime/core/dtype/half_rows.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"

namespace catena {

namespace {

constexpr int64_t copy_grain = 1 << 16;  ///< Elements; about 30 us of copying.

template <class T>
constexpr bool is_16bit = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <class To, class From>
To converted(From value) {
    if constexpr (is_16bit<From> && !std::is_same_v<To, From>)
        return converted<To>(float(value));
    else if constexpr (std::is_same_v<To, From>)
        return value;
    else if constexpr (std::is_same_v<To, bool>)
        return value != 0;
    else if constexpr (is_16bit<To>)
        return To(float(value));
    else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
        return To(int64_t(value));  // Towards zero; narrower integers then wrap.
    else
        return To(value);
}

template <class To, class From>
void copy_row(void* to, int64_t to_stride, const void* from, int64_t from_stride, int64_t n) {
    To* t = static_cast<To*>(to);
    const From* f = static_cast<const From*>(from);
    if (to_stride == 1 && from_stride == 1) {
        if constexpr (std::is_same_v<To, From>)
            std::memcpy(t, f, size_t(n) * sizeof(To));
        else if constexpr ((is_16bit<To> && std::is_same_v<From, float>) ||
                           (is_16bit<From> && std::is_same_v<To, float>))
            convert_row(t, f, n);
        else
            for (int64_t i = 0; i < n; ++i) t[i] = converted<To>(f[i]);
    } else if (to_stride == 1 && from_stride == 0) {
        std::fill_n(t, n, converted<To>(f[0]));
    } else {
        for (int64_t i = 0; i < n; ++i) t[i * to_stride] = converted<To>(f[i * from_stride]);
    }
}

using CopyRow = void (*)(void*, int64_t, const void*, int64_t, int64_t);

CopyRow copy_row_of(Dtype to, Dtype from) {
    return visit_dtype(to, [&](auto t) {
        return visit_dtype(from,
                           [&](auto f) -> CopyRow { return copy_row<decltype(t), decltype(f)>; });
    });
}

/// The dimension, other than the innermost, along which the source's elements follow each other;
/// -1: none, or it is short.
int dense_in_source(const LoopNest& nest) {
    for (int d = nest.rank - 2; d >= 0; --d)
        if (nest.strides[1][size_t(d)] == 1) return nest.sizes[d] >= 8 ? d : -1;
    return -1;
}

/// True when the target's and the source's elements follow each other along two dimensions between
/// equal dtypes: these are transposed, plane by plane.
bool copy_transposed(const LoopNest& nest, size_t element, std::byte* to, const std::byte* from) {
    const int inner = nest.rank - 1;
    if (inner < 1 || nest.strides[0][size_t(inner)] != 1 || nest.strides[1][size_t(inner)] == 1)
        return false;
    const int dense = dense_in_source(nest);
    if (dense < 0) return false;
    const int64_t rows = nest.sizes[dense], columns = nest.sizes[inner];
    const int64_t to_row = nest.strides[0][size_t(dense)];
    const int64_t from_column = nest.strides[1][size_t(inner)];
    int64_t planes = 1;
    for (int d = 0; d < inner; ++d)
        if (d != dense) planes *= nest.sizes[d];
    // Rows that one piece of work takes: many of short ones.
    const int64_t band = columns >= 64 ? 64 : std::max<int64_t>(64, 4096 / columns);
    const int64_t bands = (rows + band - 1) / band;
    parallel_for(planes * bands, std::max<int64_t>(1, copy_grain / (band * columns)),
                 [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                         const int64_t first = i % bands * band,
                                       count = std::min(band, rows - first);
                         int64_t plane = i / bands, to_offset = first * to_row, from_offset = first;
                         for (int d = inner - 1; d >= 0; --d) {
                             if (d == dense) continue;
                             to_offset += plane % nest.sizes[d] * nest.strides[0][size_t(d)];
                             from_offset += plane % nest.sizes[d] * nest.strides[1][size_t(d)];
                             plane /= nest.sizes[d];
                         }
                         transpose_elements(int64_t(element), to + to_offset * int64_t(element),
                                            to_row, from + from_offset * int64_t(element),
                                            from_column, count, columns);
                     }
                 });
    return true;
}

/// The loops of a copy in the order of the target's memory, so that its neighbours are written one
/// after the other.
LoopNest nest_of(const Array& from, const Array& to) {
    std::array<int, max_rank> order;
    const int rank = to.rank();
    std::iota(order.begin(), order.begin() + rank, 0);
    for (int i = 1; i < rank; ++i)  // Stable; the standard library's allocates.
        for (int j = i;
             j > 0 && to.strides()[order[size_t(j)]] > to.strides()[order[size_t(j - 1)]]; --j)
            std::swap(order[size_t(j)], order[size_t(j - 1)]);
    Shape shape = to.shape();
    std::array<Strides, 2> strides = {to.strides(), from.strides()};
    for (int i = 0; i < rank; ++i) {
        shape[i] = to.shape()[order[size_t(i)]];
        strides[0][i] = to.strides()[order[size_t(i)]];
        strides[1][i] = from.strides()[order[size_t(i)]];
    }
    return make_loop_nest(shape, strides);
}

/// The device's own kernels do it; elements from elsewhere are moved there first.
void copy_on_device(const Array& from, const Array& to) {
    const Array here = from.to(to.device());
    auto* device = dynamic_cast<CodeDevice*>(&to.device());
    if (device) return kernel_provider().copy(*device, here, to);
    if (!to.device().is_host() || !to.contiguous())
        fail<DeviceError>(
            "copy: {} cannot copy {} with gaps between its elements; copy it on the host (cpu) "
            "first",
            to.device().name(), to_string(to.type()));
    copy_elements(here, to);
}

}  // namespace

void copy_elements(const Array& from, const Array& to) {
    CATENA_ASSERT(from.shape() == to.shape(), "copy_elements between " + to_string(from.type()) +
                                                  " and " + to_string(to.type()));
    if (to.size() == 0) return;
    if (!from.device().is_host() || !to.device().is_host()) return copy_on_device(from, to);
    const LoopNest nest = nest_of(from, to);
    auto* const target = static_cast<std::byte*>(to.to_fill());
    const auto* const source = static_cast<const std::byte*>(from.elements());
    const int64_t to_size = int64_t(size_of(to.dtype())),
                  from_size = int64_t(size_of(from.dtype()));
    if (from.dtype() == to.dtype() && copy_transposed(nest, size_t(to_size), target, source))
        return;

    const CopyRow copy = copy_row_of(to.dtype(), from.dtype());
    const int64_t inner = nest.inner();
    const int64_t to_step = nest.inner_stride(0), from_step = nest.inner_stride(1);
    parallel_for(to.size(), copy_grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end;) {
            const int64_t row = i / inner, column = i - row * inner;
            const int64_t n = std::min(inner - column, end - i);
            copy(target + (nest.row_offset(0, row) + column * to_step) * to_size, to_step,
                 source + (nest.row_offset(1, row) + column * from_step) * from_size, from_step, n);
            i += n;
        }
    });
}

}  // namespace catena
