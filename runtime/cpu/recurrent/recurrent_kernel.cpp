#include "runtime/cpu/recurrent/recurrent_kernel.h"

#include <algorithm>
#include <vector>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/parallel/parallel_steps.h"
#include "runtime/cpu/onednn/packed.h"
#include "runtime/cpu/product/packed_matrix.h"
#include "runtime/cpu/product/sgemm.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

constexpr int64_t most_gates = 4;

/// Rows that are computed together: their sums stay in the first-level cache.
constexpr int64_t rows_together = 32;
/// Some of a step: a panel of its units, of some of its rows.
struct Block {
    int64_t panel, first, count;  ///< The units.
    int64_t begin, rows;
};
/// The units of each step are divided among threads, as many as pay for its rows: `work` a row.
/// What follows a product is computed with it, block by block. Every second step goes through the
/// panels from the last to the first: those used last are still in the cache, if it is too small
/// for all. `f` gets the step and a block.
template <class T, class RowsOf, class F>
void for_each_block(int64_t steps, int64_t units, int64_t work, RowsOf&& rows, F&& f) {
    constexpr int64_t width = PackedMatrix<T>::panel_width;
    const int64_t panels = PackedMatrix<T>::panels_of(units);
    const auto threads_of = [&](int64_t step) {
        return std::max<int64_t>(
            1, panels / (1 + machine::products_of_a_thread * panels / (work * rows(step) + 1)));
    };
    int64_t most = 1;
    for (int64_t step = 0; step < steps; ++step) most = std::max(most, threads_of(step));
    parallel_steps(steps, most, [&](int64_t step, int64_t part, int64_t parts) {
        parts = std::min(parts, threads_of(step));
        if (part >= parts) return;
        const int64_t begin = panels * part / parts, end = panels * (part + 1) / parts;
        for (int64_t p = begin; p < end; ++p) {
            const int64_t panel = step % 2 ? begin + end - 1 - p : p;
            for (int64_t i = 0; i < rows(step); i += rows_together)
                f(step, Block{panel, panel * width, std::min(width, units - panel * width), i,
                              std::min(rows_together, rows(step) - i)});
        }
    });
}
template <class T>
Rows<T> from_row(Rows<T> all, int64_t row) {
    return {all.first + row * all.stride, all.stride};
}
/// Row-major c = a^T b.
void outer_product(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
                   int64_t ldb, float* c) {
    sgemm(true, false, m, n, k, 1, a, lda, b, ldb, 0, c, n);
}
void outer_product(int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b,
                   int64_t ldb, double* c) {
    std::fill(c, c + m * n, 0.0);
    for (int64_t p = 0; p < k; ++p)
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[p * lda + i] * b[p * ldb + j];
}

/// Rows that are read after a product come to the second-level cache during it: each is in another
/// page, which no hardware foresees.
template <class T>
void prefetch_row(const T* row, int64_t units, int64_t gates, const Block& k) {
    for (int64_t gate = 0; gate < gates; ++gate)
        for (int64_t u = 0; u < k.count; u += 64 / int64_t(sizeof(T)))
            __builtin_prefetch(row + gate * units + k.first + u, 0, 2);
}

template <class T>
void copy_rows(const T* from, T* to, int64_t width, const std::vector<int64_t>& rows,
               bool scatter) {
    parallel_for(
        int64_t(rows.size()), machine::grain_of_elements(width), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const int64_t there = rows[i] * width, here = i * width;
                std::copy_n(from + (scatter ? here : there), width, to + (scatter ? there : here));
            }
        });
}
/// to[i] = from[rows[i]], and to[rows[i]] = from[i].
template <class T>
std::vector<T> gathered(const Array& from, int64_t width, const std::vector<int64_t>& rows) {
    std::vector<T> to(rows.size() * size_t(width));
    copy_rows(from.elements<T>(), to.data(), width, rows, false);
    return to;
}
template <class T>
void scatter(const std::vector<T>& from, const Array& to, int64_t width,
             const std::vector<int64_t>& rows) {
    copy_rows(from.data(), to.to_fill<T>(), width, rows, true);
}

/// The states before step t: those given, sorted, and later what the last step kept at `place`.
template <class T>
Rows<const T> before(const SequenceSteps& s, int64_t t, const std::vector<T>& first, const T* kept,
                     int64_t width, int64_t place, int64_t units) {
    if (t == 0) return {first.data(), units};
    return {kept + s.starts[t - 1] * width + place * units, width};
}

/// The states of all sequences after their last steps.
template <class T>
void store_last(const SequenceSteps& s, const std::vector<T>& first, const T* kept, int64_t width,
                int64_t place, int64_t units, const Array& to) {
    T* y = to.to_fill<T>();
    for (int64_t i = 0, t = s.count(); i < int64_t(s.order.size()); ++i) {
        while (t > 0 && s.sizes[t - 1] <= i) --t;
        const Rows<const T> rows = before(s, t, first, kept, width, place, units);
        std::copy_n(rows.first + i * rows.stride, units, y + s.order[i] * units);
    }
}

/// R^T of each gate, panel by panel: [panels, gates, units, panel_width]. Kept with R as long as R
/// does not change.
template <class T>
Array packed_gates(const Array& R, int64_t units) {
    constexpr int64_t width = PackedMatrix<T>::panel_width;
    const int64_t gates = units == 0 ? 0 : R.dim(0) / units,
                  panels = PackedMatrix<T>::panels_of(units);
    const auto pack = [&] {
        const Array made =
            Array::empty({R.dtype(), Shape{panels, gates, units, width}}, R.device());
        T* to = made.to_fill<T>();
        for (int64_t gate = 0; gate < gates; ++gate)
            PackedMatrix<T>::pack(R.elements<T>() + gate * units * units, units, units, 1, units,
                                  to + gate * units * width, gates * units * width);
        return made;
    };
    if (units == 0) return pack();
    return onednn::kept_form(R, onednn::WeightForm::gates, onednn::ordered({R.dim(0), units}),
                             onednn::ordered({panels, gates, units, width}), pack);
}

template <class T>
void forward(RecurrentCell cell, const GatePlaces& places, const SequenceSteps& s,
             const RecurrentInputs& in, const RecurrentOutputs& out) {
    const CellWidths widths = widths_of(cell);
    const int64_t units = in.h0.dim(1), gates = widths.gates * units, width = widths.kept * units,
                  h_place = widths.kept - 1;
    const std::vector<T> h0 = gathered<T>(in.h0, units, s.order);
    std::vector<T> c0;
    if (widths.has_memory) c0 = gathered<T>(in.c0, units, s.order);
    constexpr int64_t panel_width = PackedMatrix<T>::panel_width;
    const Array packed = packed_gates<T>(in.R, units);
    std::vector<PackedMatrix<T>> columns;  // R^T of each gate
    for (int64_t g = 0; g < widths.gates; ++g)
        columns.emplace_back(packed.elements<T>() + g * units * panel_width, units, units,
                             gates * panel_width);
    const T *x = in.x.elements<T>(), *b = in.b.elements<T>();
    T *y = out.y.to_fill<T>(), *kept = out.kept.to_fill<T>();
    for_each_block<T>(
        s.count(), units, units * gates, [&](int64_t t) { return s.sizes[t]; },
        [&](int64_t t, const Block& k) {
            const Rows<const T> h =
                from_row(before<T>(s, t, h0, kept, width, h_place, units), k.begin);
            Rows<const T> c{};
            if (widths.has_memory)
                c = from_row(before<T>(s, t, c0, kept, width, h_place - 1, units), k.begin);
            alignas(64) T sums[most_gates * rows_together * panel_width];
            const int64_t row = s.starts[t] + k.begin;
            for (int64_t i = 0; i < k.rows; ++i)
                prefetch_row(x + s.rows[row + i] * gates, units, widths.gates, k);
            for (int64_t g = 0; g < widths.gates; ++g)
                columns[g].multiply(k.panel, k.rows, h,
                                    {sums + g * k.rows * panel_width, panel_width}, false);
            step_cell(cell, StepRows<T>{.rows = k.rows,
                                        .units = units,
                                        .first = k.first,
                                        .count = k.count,
                                        .sums = {sums, panel_width},
                                        .places = places,
                                        .x = x,
                                        .b = b,
                                        .row = &s.rows[row],
                                        .h = h,
                                        .c = c,
                                        .kept = {kept + row * width, width},
                                        .y = y});
        });
    store_last<T>(s, h0, kept, width, h_place, units, out.hy);
    if (widths.has_memory) store_last<T>(s, c0, kept, width, h_place - 1, units, out.cy);
}

/// The sums of the columns of g [total, ..], each over the rows in order.
template <class T>
void sum_columns(const T* g, int64_t total, int64_t width, int64_t columns, T* sums) {
    constexpr int64_t block = 64;  // Columns of a part: a thread's own lines of the cache.
    parallel_for((columns + block - 1) / block, machine::grain_of_elements(total * block),
                 [&](int64_t begin, int64_t end) {
                     const int64_t first = begin * block, last = std::min(columns, end * block);
                     std::fill(sums + first, sums + last, T(0));
                     for (int64_t i = 0; i < total; ++i)
                         for (int64_t u = first; u < last; ++u) sums[u] += g[i * width + u];
                 });
}

/// A row's gradients towards x.
template <class T>
void store_gradients(RecurrentCell cell, const T* g, int64_t units, const Block& k, T* gx) {
    const CellWidths widths = widths_of(cell);
    for (int64_t gate = 0; gate < widths.gates; ++gate) {
        const bool is_x_a = gate == widths.gates - 1 && widths.gradients > widths.gates;  // gru's
        std::copy_n(g + (is_x_a ? gate + 1 : gate) * units + k.first, k.count,
                    gx + gate * units + k.first);
    }
}

template <class T>
void backward(RecurrentCell cell, const GatePlaces& places, const SequenceSteps& s,
              const RecurrentInputs& in, const RecurrentOutputs& gy, const RecurrentInputs& gx) {
    const CellWidths widths = widths_of(cell);
    const int64_t units = in.h0.dim(1), gates = widths.gates * units,
                  kept_width = widths.kept * units, h_place = widths.kept - 1;
    const int64_t width =
        widths.gradients * units +
        16;  // Rows that are multiples of 4096 bytes apart would share a set of the cache.
    const std::vector<T> h0 = gathered<T>(in.h0, units, s.order);
    std::vector<T> gh = gathered<T>(gy.hy, units, s.order), c0, gc;
    if (widths.has_memory) {
        c0 = gathered<T>(in.c0, units, s.order);
        gc = gathered<T>(gy.cy, units, s.order);
    }
    const size_t g_bytes = size_t(s.total() * width) * sizeof(T),
                 state_bytes = size_t(s.total() * units) * sizeof(T);
    const int64_t panel_stride = gates * PackedMatrix<T>::panel_width;
    const size_t R_bytes = size_t(PackedMatrix<T>::panels_of(units) * panel_stride) * sizeof(T);
    Scratch memory(
        {}, Scratch::rounded(g_bytes) + Scratch::rounded(state_bytes) + Scratch::rounded(R_bytes));
    T *g = reinterpret_cast<T*>(memory.take(g_bytes)),
      *states = reinterpret_cast<T*>(memory.take(state_bytes));
    const T *kept = gy.kept.elements<T>(), *upper = gy.y.elements<T>();
    T* to_x = gx.x.to_fill<T>();
    T* packed = reinterpret_cast<T*>(memory.take(R_bytes));
    PackedMatrix<T>::pack(in.R.elements<T>(), gates, units, units, 1, packed, panel_stride);
    const PackedMatrix<T> R(packed, gates, units, panel_stride);
    // gh of a step through h R^T of the next one; gru: added to the part that is not.
    const auto through_R = [&](int64_t t, const Block& k) {
        const int64_t rows = std::min(k.rows, s.sizes[t] - k.begin);
        if (rows > 0)
            R.multiply(k.panel, rows, {g + (s.starts[t] + k.begin) * width, width},
                       {gh.data() + k.begin * units + k.first, units}, cell == RecurrentCell::gru);
    };
    // After the first step one more: what it gives to h0.
    const auto step_of = [&](int64_t n) { return std::max<int64_t>(s.count() - 1 - n, 0); };
    const int64_t all = s.count() > 0 ? s.count() + 1 : 0;
    for_each_block<T>(
        all, units, units * gates, [&](int64_t n) { return s.sizes[step_of(n)]; },
        [&](int64_t n, const Block& k) {
            const int64_t t = step_of(n);
            if (n == s.count()) return through_R(0, k);
            const Rows<const T> h =
                from_row(before<T>(s, t, h0, kept, kept_width, h_place, units), k.begin);
            Rows<const T> c{};
            if (widths.has_memory)
                c = from_row(before<T>(s, t, c0, kept, kept_width, h_place - 1, units), k.begin);
            const int64_t row = s.starts[t] + k.begin, *to = &s.rows[row];
            for (int64_t i = 0; i < k.rows; ++i) {
                prefetch_row(kept + (row + i) * kept_width, units, h_place, k);
                prefetch_row(upper + to[i] * units, units, 1, k);
            }
            if (t + 1 < s.count()) through_R(t + 1, k);
            step_cell_back(
                cell, StepGradients<T>{.rows = k.rows,
                                       .units = units,
                                       .first = k.first,
                                       .count = k.count,
                                       .places = places,
                                       .h = h,
                                       .c = c,
                                       .kept = {kept + row * kept_width, kept_width},
                                       .gy = upper,
                                       .row = to,
                                       .gc = gc.data() + (widths.has_memory ? k.begin * units : 0),
                                       .gh = gh.data() + k.begin * units,
                                       .gradients = {g + row * width, width}});
            for (int64_t i = 0; i < k.rows; ++i) {
                store_gradients(cell, g + (row + i) * width, units, k, to_x + to[i] * gates);
                std::copy_n(h.first + i * h.stride + k.first, k.count,
                            states + (row + i) * units + k.first);
            }
        });
    scatter(gh, gx.h0, units, s.order);
    if (widths.has_memory) scatter(gc, gx.c0, units, s.order);
    outer_product(gates, units, s.total(), g, width, states, units, gx.R.to_fill<T>());
    sum_columns(g, s.total(), width, gates, gx.b.to_fill<T>());
}

}  // namespace

void recurrent_forward(RecurrentCell cell, const GatePlaces& places, const SequenceSteps& steps,
                       const RecurrentInputs& in, const RecurrentOutputs& out) {
    if (in.x.dtype() == Dtype::float32) return forward<float>(cell, places, steps, in, out);
    forward<double>(cell, places, steps, in, out);
}

void recurrent_backward(RecurrentCell cell, const GatePlaces& places, const SequenceSteps& steps,
                        const RecurrentInputs& in, const RecurrentOutputs& gy,
                        const RecurrentInputs& gx) {
    if (in.x.dtype() == Dtype::float32) return backward<float>(cell, places, steps, in, gy, gx);
    backward<double>(cell, places, steps, in, gy, gx);
}

}  // namespace catena
