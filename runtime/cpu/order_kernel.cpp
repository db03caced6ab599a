#include "runtime/cpu/order_kernel.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "runtime/core/parallel/parallel.h"

namespace catena {

namespace {

/// Elements worth a thread of their own.
constexpr int64_t grain = 1 << 14;

template <class T>
constexpr bool is_nan(T value) {
    if constexpr (std::is_integral_v<T>)
        return false;
    else
        return value != value;
}

/// Calls f(first input element, first output element, stride of both) for each line of x along the
/// axis; output lines have `size` elements. Offsets are those of contiguous arrays.
template <class F>
void for_each_line(const Array& x, int axis, int64_t output_size, F&& f) {
    int64_t inner = 1;
    for (int i = axis + 1; i < x.rank(); ++i) inner *= x.dim(i);
    const int64_t size = x.dim(axis);
    const int64_t lines = size == 0 ? 0 : x.size() / size;
    parallel_for(lines, std::max<int64_t>(1, grain / std::max<int64_t>(1, size)),
                 [&](int64_t begin, int64_t end) {
                     for (int64_t line = begin; line < end; ++line) {
                         const int64_t outer = line / inner, within = line % inner;
                         f(outer * size * inner + within, outer * output_size * inner + within,
                           inner);
                     }
                 });
}

template <class Better>
void run_arg(const KernelCall& call, Better better) {
    const int axis = int(call.attributes.integer("axis"));
    const Array x = call.inputs[0].as_contiguous();
    int32_t* y = call.outputs[0].to_fill<int32_t>();
    visit_dtype(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* data = x.elements<T>();
        for_each_line(x, axis, 1, [&](int64_t from, int64_t to, int64_t stride) {
            int64_t best = 0;
            for (int64_t i = 1; i < x.dim(axis) && !is_nan(data[from + best * stride]); ++i) {
                const T value = data[from + i * stride];
                if (better(value, data[from + best * stride]) || is_nan(value)) best = i;
            }
            y[to] = int32_t(best);
        });
    });
}

}  // namespace

void run_argmax(const KernelCall& call) {
    run_arg(call, [](auto a, auto b) { return a > b; });
}
void run_argmin(const KernelCall& call) {
    run_arg(call, [](auto a, auto b) { return a < b; });
}

void run_argsort(const KernelCall& call) {
    const int axis = int(call.attributes.integer("axis"));
    const Array x = call.inputs[0].as_contiguous();
    const int64_t size = x.dim(axis);
    int32_t* y = call.outputs[0].to_fill<int32_t>();
    visit_dtype(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* data = x.elements<T>();
        for_each_line(x, axis, size, [&](int64_t from, int64_t to, int64_t stride) {
            std::vector<int32_t> order(size_t(size), 0);
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(), [&](int32_t i, int32_t j) {
                const T a = data[from + i * stride], b = data[from + j * stride];
                return a < b || (is_nan(b) && !is_nan(a));
            });
            for (int64_t i = 0; i < size; ++i) y[to + i * stride] = order[size_t(i)];
        });
    });
}

namespace {

/// Puts the `count` least elements of `order` first, in order.
template <class Before>
void sort_first(std::vector<int32_t>& order, int64_t count, Before before) {
    constexpr int64_t few = 64;  // A heap of more costs more than a partition.
    const auto middle = order.begin() + count;
    if (count <= few) {
        std::partial_sort(order.begin(), middle, order.end(), before);
    } else {
        if (middle != order.end()) std::nth_element(order.begin(), middle, order.end(), before);
        std::sort(order.begin(), middle, before);
    }
}

}  // namespace

void run_argsort_first(const KernelCall& call) {
    const int axis = int(call.attributes.integer("axis"));
    const bool largest = call.attributes.flag("largest");
    const Array x = call.inputs[0].as_contiguous();
    const int64_t size = x.dim(axis), count = call.outputs[0].dim(axis);
    int32_t* y = call.outputs[0].to_fill<int32_t>();
    visit_dtype(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* data = x.elements<T>();
        for_each_line(x, axis, count, [&](int64_t from, int64_t to, int64_t stride) {
            const auto at = [&](int32_t i) { return data[from + i * stride]; };
            const auto smaller = [](T a, T b) { return a < b || (is_nan(b) && !is_nan(a)); };
            const auto before = [&](int32_t i, int32_t j) {
                const T a = at(i), b = at(j);
                if (largest ? smaller(b, a) : smaller(a, b)) return true;
                return i < j && !(largest ? smaller(a, b) : smaller(b, a));
            };
            std::vector<int32_t> order(size_t(size), 0);
            std::iota(order.begin(), order.end(), 0);
            sort_first(order, count, before);
            for (int64_t i = 0; i < count; ++i) y[to + i * stride] = order[size_t(i)];
        });
    });
}

void run_cumsum(const KernelCall& call) {
    const int axis = int(call.attributes.integer("axis"));
    const bool reverse = call.attributes.flag("reverse");
    const Array& y = call.outputs[0];
    const Array x = call.inputs[0].astype(y.dtype()).as_contiguous();
    const int64_t size = x.dim(axis);
    visit_dtype(y.dtype(), [&](auto zero) {
        using T = decltype(zero);
        using Sum =
            std::conditional_t<std::is_same_v<T, double> || std::is_integral_v<T>, T, float>;
        const T* from = x.elements<T>();
        T* to = y.to_fill<T>();
        for_each_line(x, axis, size, [&](int64_t begin, int64_t, int64_t stride) {
            Sum total{};
            for (int64_t k = 0; k < size; ++k) {
                const int64_t at = begin + (reverse ? size - 1 - k : k) * stride;
                total = Sum(total + Sum(from[at]));
                to[at] = T(total);
            }
        });
    });
}

}  // namespace catena
