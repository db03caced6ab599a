#include "runtime/cpu/gather_kernel.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "runtime/core/memory/reused_vector.h"
#include "runtime/core/parallel/parallel.h"

namespace catena {

namespace {

/// Rows of `elements` that are worth a thread of their own, as one that sleeps begins 13 to 130 us
/// later: 30 us of them.
int64_t row_grain(int64_t elements) { return int64_t(30'000 / (0.5 + 0.3 * double(elements))); }
/// The grain for columns of so many rows.
int64_t column_grain(int64_t rows) { return 120'000 / std::max<int64_t>(1, rows); }

/// The type sums are formed in.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

int64_t checked_index(const OpDef& op, int64_t index, int axis, int64_t size, bool wrap) {
    if (index >= (wrap ? -size : 0) && index < size) return index < 0 ? index + size : index;
    fail<ValueError>("{}: index {} is outside of axis {} of size {}, which takes {} to {}", op.name,
                     index, axis, size, wrap ? -size : 0, size - 1);
}

using Offsets = ReusedVector<int64_t>;

/// Offsets in `strides` of every index of `axes`, row-major.
void find_offsets(const Shape& shape, const Strides& strides, std::span<const int64_t> axes,
                  Offsets& offsets) {
    offsets.assign(1, 0);
    Offsets next;
    for (int64_t axis : axes) {
        next.clear();
        next.reserve(offsets.size() * size_t(shape[axis]));
        for (int64_t base : offsets)
            for (int64_t i = 0; i < shape[axis]; ++i) next.push_back(base + i * strides[axis]);
        offsets.swap(next);
    }
}

/// A run of equally spaced elements.
struct Run {
    int64_t length = 1, stride = 1;
};

/// Takes the last axes of `axes` that make one run together off its end.
Run take_run(const Shape& shape, const Strides& strides, std::span<const int64_t>& axes) {
    Run run;
    for (; !axes.empty(); axes = axes.first(axes.size() - 1)) {
        const int axis = int(axes.back());
        if (shape[axis] == 1) continue;
        if (run.length != 1 && strides[axis] != run.length * run.stride) break;
        if (run.length == 1) run.stride = strides[axis];
        run.length *= shape[axis];
    }
    return run;
}

/// How a gather walks x: result element (p, b, r, s) is x element outer[p] + place[b] + inner[r] +
/// s * run.stride. There is no list of the elements of a run, which may be long beside few places.
struct Walk {
    static constexpr int64_t ignored = std::numeric_limits<int64_t>::min();
    Offsets outer, place, inner;
    Run run;
    int64_t row() const { return int64_t(inner.size()) * run.length; }  ///< Elements of one place.
    /// Whether the elements lie side by side.
    bool dense() const { return inner.size() == 1 && run.stride == 1; }

    Walk(const KernelCall& call, std::span<const Array> index_arrays, const Shape& shape,
         const Strides& strides);
};

/// What is asked of the indices of one axis.
struct IndexedAxis {
    const OpDef& op;
    int name;  ///< The axis as errors call it.
    int64_t size, stride;
    bool wrap;
    std::optional<int64_t> label;
};

template <class Index>
void add_places(const IndexedAxis& axis, const Index* indices, std::span<const int64_t> reads,
                std::span<int64_t> places) {
    for (size_t b = 0; b < places.size(); ++b) {
        const int64_t index = int64_t(indices[reads.empty() ? b : size_t(reads[b])]);
        if (axis.label && index == *axis.label)
            places[b] = Walk::ignored;
        else
            places[b] +=
                axis.stride * checked_index(axis.op, index, axis.name, axis.size, axis.wrap);
    }
}

/// Where the indices of each place stand; empty where they stand in the order of places.
void find_reads(const Array& indices, const Shape& common, Offsets& reads) {
    reads.clear();
    if (indices.shape() == common && indices.contiguous()) return;
    Strides steps = Strides::filled(common.rank(), 0);
    for (int i = 0; i < indices.rank(); ++i)
        if (indices.dim(i) != 1) steps[common.rank() - indices.rank() + i] = indices.strides()[i];
    Axes all;
    for (int i = 0; i < common.rank(); ++i) all.push_back(i);
    find_offsets(common, steps, all, reads);
}

Walk::Walk(const KernelCall& call, std::span<const Array> index_arrays, const Shape& shape,
           const Strides& strides) {
    const Attributes& a = call.attributes;
    const Axes& axes = a.dims("axes");
    const bool wrap = a.flag("wrap");
    std::optional<int64_t> label;
    if (a.has("ignore_label")) label = a.integer("ignore_label");
    Shape common;
    for (const Array& indices : index_arrays) broadcast_shapes(common, indices.shape(), common);

    place.assign(size_t(element_count(common)), 0);
    Offsets reads;
    for (int k = 0; k < axes.rank(); ++k) {
        const Array& given = index_arrays[size_t(k)];
        find_reads(given, common, reads);
        const int axis = int(axes[k]),
                  named = int(a.has("named_axes") ? a.dims("named_axes")[k] : axis);
        const IndexedAxis indexed{call.op, named, shape[axis], strides[axis], wrap, label};
        visit_dtype(given.dtype(), [&](auto zero) {
            using Index = decltype(zero);
            if constexpr (std::is_integral_v<Index>)
                add_places(indexed, given.elements<Index>(), reads, place);
            else
                CATENA_ASSERT(false, "index arrays are integers");
        });
    }
    Axes rest;
    for (int i = 0; i < shape.rank(); ++i)
        if (!axes.contains(i)) rest.push_back(i);
    const std::span<const int64_t> others = rest;
    const size_t position = size_t(a.integer("position"));
    find_offsets(shape, strides, others.first(position), outer);
    std::span<const int64_t> behind = others.subspan(position);
    constexpr int64_t short_run = 64;  // To begin one takes longer than to look up so many offsets.
    run = take_run(shape, strides, behind);
    if (!behind.empty() && run.length < short_run) {
        run = Run();
        behind = others.subspan(position);
    }
    find_offsets(shape, strides, behind, inner);
}

/// Calls f(row, offset in x) for the rows [begin, end) of a result, where a row is the inner
/// elements of one place of one outer offset. An offset of Walk::ignored names no elements.
template <class F>
void for_each_row(const Walk& walk, int64_t begin, int64_t end, F&& f) {
    const int64_t places = int64_t(walk.place.size());
    for (int64_t row = begin; row < end;) {
        const int64_t outer = walk.outer[size_t(row / places)],
                      last = std::min(end, (row / places + 1) * places);
        for (const int64_t* place = &walk.place[size_t(row % places)]; row < last; ++row, ++place)
            f(row, *place == Walk::ignored ? Walk::ignored : outer + *place);
    }
}

/// Calls f(element, its offset, number) for the runs of the elements [begin, end) of a row.
template <class F>
void for_each_run(const Walk& walk, int64_t begin, int64_t end, F&& f) {
    const auto [length, stride] = walk.run;
    if (walk.inner.size() == 1) return f(begin, begin * stride, end - begin);
    if (length == 1) {
        for (int64_t s = begin; s < end; ++s) f(s, walk.inner[size_t(s)], 1);
        return;
    }
    for (int64_t s = begin; s < end;) {
        const int64_t run = s / length, first = s - run * length,
                      count = std::min(length - first, end - s);
        f(s, walk.inner[size_t(run)] + first * stride, count);
        s += count;
    }
}

template <class T>
void gather(const Walk& walk, const T* x, T* y) {
    const int64_t places = int64_t(walk.place.size()), inner = walk.row(), stride = walk.run.stride;
    const int64_t rows = int64_t(walk.outer.size()) * places;
    const auto row_at = [=](int64_t row, int64_t from) {
        if (from == Walk::ignored)
            std::fill_n(y + row * inner, inner, T());
        else
            std::copy_n(x + from, inner, y + row * inner);
    };
    const auto runs_at = [&](int64_t row, int64_t from) {
        if (from == Walk::ignored)
            std::fill_n(y + row * inner, inner, T());
        else if (walk.run.length == 1)
            std::transform(walk.inner.begin(), walk.inner.end(), y + row * inner,
                           [x = x + from](int64_t i) { return x[i]; });
        else
            for_each_run(walk, 0, inner,
                         [to = y + row * inner, x = x + from, stride](int64_t s, int64_t offset,
                                                                      int64_t count) {
                             if (stride == 1)
                                 std::copy_n(x + offset, count, to + s);
                             else
                                 for (int64_t i = 0; i < count; ++i)
                                     to[s + i] = x[offset + i * stride];
                         });
    };
    const auto element_at = [&](int64_t row, int64_t from) {
        y[row] = from == Walk::ignored ? T() : x[from];
    };
    parallel_for(rows, row_grain(inner), [&](int64_t begin, int64_t end) {
        if (inner == 1)
            for_each_row(walk, begin, end, element_at);
        else if (walk.dense())
            for_each_row(walk, begin, end, row_at);
        else
            for_each_row(walk, begin, end, runs_at);
    });
}

// Threads share the inner elements, never the places: every sum has one order.
template <class S, class T>
void scatter(const Walk& walk, const T* gy, S* sums) {
    const int64_t places = int64_t(walk.place.size()), inner = walk.row(), stride = walk.run.stride;
    const int64_t rows = int64_t(walk.outer.size()) * places;
    const bool dense = walk.dense();
    parallel_for(inner, std::max<int64_t>(16, column_grain(rows)), [&](int64_t begin, int64_t end) {
        for_each_row(walk, 0, rows, [&](int64_t row, int64_t at) {
            if (at == Walk::ignored) return;
            S* to = sums + at;
            const T* from = gy + row * inner;
            if (dense)
                for (int64_t s = begin; s < end; ++s) to[s] += S(from[s]);
            else
                for_each_run(walk, begin, end,
                             [to, from, stride](int64_t s, int64_t offset, int64_t count) {
                                 if (stride == 1)
                                     for (int64_t i = 0; i < count; ++i)
                                         to[offset + i] += S(from[s + i]);
                                 else
                                     for (int64_t i = 0; i < count; ++i)
                                         to[offset + i * stride] += S(from[s + i]);
                             });
        });
    });
}

template <class T, class F>
void with_sums(const Array& y, F&& add) {
    if constexpr (std::is_same_v<T, Sum<T>>) {
        std::fill_n(y.to_fill<T>(), y.size(), T());
        add(y.to_fill<T>());
    } else {
        std::vector<float> sums(size_t(y.size()), 0);
        add(sums.data());
        std::transform(sums.begin(), sums.end(), y.to_fill<T>(), [](float v) { return T(v); });
    }
}

/// An array seen as [outer, size, inner] around one axis.
struct Lines {
    int64_t outer = 1, inner = 1;
    Lines(const Shape& shape, int axis) {
        for (int i = 0; i < axis; ++i) outer *= shape[i];
        for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
    }
};

}  // namespace

void run_gather(const KernelCall& call) {
    const Array& x = call.inputs[0];
    const Walk walk(call, call.inputs.subspan(1), x.shape(), x.strides());
    visit_dtype(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        gather(walk, x.elements<T>(), call.outputs[0].to_fill<T>());
    });
}

void run_scatter_add(const KernelCall& call) {
    const Array gy = call.inputs[0].as_contiguous();
    const Array& y = call.outputs[0];
    const Walk walk(call, call.inputs.subspan(1), y.shape(), y.strides());
    visit_dtype(gy.dtype(), [&](auto zero) {
        using T = decltype(zero);
        with_sums<T>(y, [&](auto* sums) { scatter(walk, gy.elements<T>(), sums); });
    });
}

void run_scatter_onto(const KernelCall& call) {
    const Array a = call.inputs[0].as_contiguous(), gy = call.inputs[1].as_contiguous();
    const Array& y = call.outputs[0];
    const Walk walk(call, call.inputs.subspan(2), y.shape(), y.strides());
    visit_dtype(gy.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* const from = a.elements<T>();
        T* const to = y.to_fill<T>();
        if constexpr (std::is_same_v<T, Sum<T>>) {
            if (from != to) copy_elements(a, y);
            scatter(walk, gy.elements<T>(), to);
        } else {
            std::vector<float> sums(from, from + y.size());
            scatter(walk, gy.elements<T>(), sums.data());
            std::transform(sums.begin(), sums.end(), to, [](float v) { return T(v); });
        }
    });
}

void run_take_along_axis(const KernelCall& call) {
    const int axis = int(call.attributes.integer("axis"));
    const bool wrap = call.attributes.flag("wrap");
    const Array x = call.inputs[0].as_contiguous();
    const Array indices = call.inputs[1].astype(Dtype::int64).as_contiguous();
    const int64_t size = x.dim(axis), count = indices.dim(axis);
    const Lines lines(x.shape(), axis);
    visit_dtype(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const int64_t* index = indices.elements<int64_t>();
        T* y = call.outputs[0].to_fill<T>();
        for (int64_t o = 0; o < lines.outer; ++o) {
            const T* from = x.elements<T>() + o * size * lines.inner;
            for (int64_t k = 0; k < count; ++k)
                for (int64_t i = 0; i < lines.inner; ++i)
                    *y++ =
                        from[checked_index(call.op, *index++, axis, size, wrap) * lines.inner + i];
        }
    });
}

void run_add_along_axis(const KernelCall& call) {
    const int axis = int(call.attributes.integer("axis"));
    const bool wrap = call.attributes.flag("wrap");
    const Array gy = call.inputs[0].as_contiguous();
    const Array indices = call.inputs[1].astype(Dtype::int64).as_contiguous();
    const int64_t size = call.outputs[0].dim(axis), count = indices.dim(axis);
    const Lines lines(gy.shape(), axis);
    visit_dtype(gy.dtype(), [&](auto zero) {
        using T = decltype(zero);
        with_sums<T>(call.outputs[0], [&](auto* sums) {
            using S = std::remove_pointer_t<decltype(sums)>;
            const int64_t* index = indices.elements<int64_t>();
            const T* from = gy.elements<T>();
            for (int64_t o = 0; o < lines.outer; ++o) {
                S* to = sums + o * size * lines.inner;
                for (int64_t k = 0; k < count; ++k)
                    for (int64_t i = 0; i < lines.inner; ++i)
                        to[checked_index(call.op, *index++, axis, size, wrap) * lines.inner + i] +=
                            S(*from++);
            }
        });
    });
}

void run_one_hot(const KernelCall& call) {
    const Array indices = call.inputs[0].astype(Dtype::int64).as_contiguous();
    const Array& y = call.outputs[0];
    const int64_t classes = y.shape().back();
    visit_dtype(y.dtype(), [&](auto zero) {
        using T = decltype(zero);
        T* to = y.to_fill<T>();
        std::fill_n(to, y.size(), T());
        const int64_t* index = indices.elements<int64_t>();
        for (int64_t i = 0; i < indices.size(); ++i, to += classes)
            to[checked_index(call.op, index[i], y.rank() - 1, classes, false)] = T(1);
    });
}

}  // namespace catena
