#include "runtime/cpu/recurrent_kernel.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "runtime/core/parallel.h"
#include "runtime/cpu/gemm.h"

namespace catena {
namespace {

/// Elements below which a second thread does not pay for copies.
constexpr int64_t elements_per_thread = 30'000;

/// Row-major c = a b + beta c.
void product(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, float beta, float* c, int64_t ldc) {
    sgemm(false, false, m, n, k, 1, a, lda, b, n, beta, c, ldc);
}
void product(int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b, double beta, double* c, int64_t ldc) {
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (int64_t p = 0; p < k; ++p) sum += a[i * lda + p] * b[p * n + j];
            c[i * ldc + j] = beta == 0 ? sum : sum + beta * c[i * ldc + j];
        }
}
/// Row-major c = a^T b.
void outer_product(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, int64_t ldb, float* c) {
    sgemm(true, false, m, n, k, 1, a, lda, b, ldb, 0, c, n);
}
void outer_product(int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b, int64_t ldb, double* c) {
    std::fill(c, c + m * n, 0.0);
    for (int64_t p = 0; p < k; ++p)
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[p * lda + i] * b[p * ldb + j];
}

template <class T>
void copy_rows(const T* from, T* to, int64_t width, const std::vector<int64_t>& rows, bool scatter) {
    parallel_for(int64_t(rows.size()), 1 + elements_per_thread / (width + 1), [&](int64_t begin, int64_t end) {
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
void scatter(const std::vector<T>& from, const Array& to, int64_t width, const std::vector<int64_t>& rows) {
    copy_rows(from.data(), to.to_fill<T>(), width, rows, true);
}

/// What a step's product adds to: x and b, placed as StepRows::kept says.
template <class T>
void place_inputs(RecurrentCell cell, const T* x, const T* b, int64_t units, T* kept) {
    const int64_t gates = widths_of(cell).gates * units;
    if (cell != RecurrentCell::gru) {
        for (int64_t u = 0; u < gates; ++u) kept[u] = x[u] + b[u];
        return;
    }
    for (int64_t u = 0; u < 2 * units; ++u) kept[u] = x[u] + b[u];
    std::copy_n(b + 2 * units, units, kept + 2 * units);
    std::copy_n(x + 2 * units, units, kept + 3 * units);
}

/// R by columns, [units, gates], once rather than at every step: its product with few rows is 10 to 20 % faster than by rows.
template <class T>
std::vector<T> transposed(const T* R, int64_t gates, int64_t units) {
    constexpr int64_t block = 16;
    std::vector<T> columns(size_t(gates * units));
    for (int64_t g0 = 0; g0 < gates; g0 += block)
        for (int64_t u0 = 0; u0 < units; u0 += block)
            for (int64_t u = u0; u < std::min(units, u0 + block); ++u)
                for (int64_t g = g0; g < std::min(gates, g0 + block); ++g) columns[size_t(u * gates + g)] = R[g * units + u];
    return columns;
}

/// The states before step t: those given, sorted, and later what the last step kept at `place`.
template <class T>
Rows<const T> before(const SequenceSteps& s, int64_t t, const std::vector<T>& first, const T* kept, int64_t width, int64_t place,
                     int64_t units) {
    if (t == 0) return {first.data(), units};
    return {kept + s.starts[t - 1] * width + place * units, width};
}

/// The states of all sequences after their last steps.
template <class T>
void store_last(const SequenceSteps& s, const std::vector<T>& first, const T* kept, int64_t width, int64_t place, int64_t units,
                const Array& to) {
    T* y = to.to_fill<T>();
    for (int64_t i = 0, t = s.count(); i < int64_t(s.order.size()); ++i) {
        while (t > 0 && s.sizes[t - 1] <= i) --t;
        const Rows<const T> rows = before(s, t, first, kept, width, place, units);
        std::copy_n(rows.first + i * rows.stride, units, y + s.order[i] * units);
    }
}

template <class T>
void forward(RecurrentCell cell, const SequenceSteps& s, const RecurrentInputs& in, const RecurrentOutputs& out) {
    const CellWidths widths = widths_of(cell);
    const int64_t units = in.h0.dim(1), gates = widths.gates * units, width = widths.kept * units, h_place = widths.kept - 1;
    const std::vector<T> h0 = gathered<T>(in.h0, units, s.order);
    std::vector<T> c0;
    if (widths.has_memory) c0 = gathered<T>(in.c0, units, s.order);
    const std::vector<T> columns = transposed(in.R.elements<T>(), gates, units);
    const T *x = in.x.elements<T>(), *b = in.b.elements<T>();
    T *y = out.y.to_fill<T>(), *kept = out.kept.to_fill<T>();
    const int64_t grain = 1 + elements_per_thread / (gates + 1);
    parallel_for(s.total(), grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) place_inputs(cell, x + s.rows[i] * gates, b, units, kept + i * width);
    });
    for (int64_t t = 0; t < s.count(); ++t) {
        const Rows<const T> h = before<T>(s, t, h0, kept, width, h_place, units);
        const Rows<const T> c = widths.has_memory ? before<T>(s, t, c0, kept, width, h_place - 1, units) : Rows<const T>();
        T* now = kept + s.starts[t] * width;
        product(s.sizes[t], gates, units, h.first, h.stride, columns.data(), T(1), now, width);
        step_cell(cell, StepRows<T>{.rows = s.sizes[t], .units = units, .h = h, .c = c, .kept = {now, width}});
    }
    parallel_for(s.total(), grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) std::copy_n(kept + i * width + h_place * units, units, y + s.rows[i] * units);
    });
    store_last<T>(s, h0, kept, width, h_place, units, out.hy);
    if (widths.has_memory) store_last<T>(s, c0, kept, width, h_place - 1, units, out.cy);
}

template <class T>
void store_gradients(RecurrentCell cell, const SequenceSteps& s, const T* g, int64_t units, const RecurrentInputs& gx) {
    const int64_t gates = widths_of(cell).gates * units, width = widths_of(cell).gradients * units;
    T *x = gx.x.to_fill<T>(), *b = gx.b.to_fill<T>();
    parallel_for(s.total(), 1 + elements_per_thread / (gates + 1), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            T* to = x + s.rows[i] * gates;
            std::copy_n(g + i * width, gates, to);
            if (width > gates) std::copy_n(g + i * width + gates, units, to + gates - units);  // gru: x_a
        }
    });
    std::fill(b, b + gates, T(0));
    for (int64_t i = 0; i < s.total(); ++i)
        for (int64_t u = 0; u < gates; ++u) b[u] += g[i * width + u];
}

template <class T>
void backward(RecurrentCell cell, const SequenceSteps& s, const RecurrentInputs& in, const RecurrentOutputs& gy,
              const RecurrentInputs& gx) {
    const CellWidths widths = widths_of(cell);
    const int64_t units = in.h0.dim(1), gates = widths.gates * units, width = widths.gradients * units;
    const int64_t kept_width = widths.kept * units, h_place = widths.kept - 1;
    const std::vector<T> h0 = gathered<T>(in.h0, units, s.order);
    std::vector<T> gh = gathered<T>(gy.hy, units, s.order), c0, gc;
    if (widths.has_memory) {
        c0 = gathered<T>(in.c0, units, s.order);
        gc = gathered<T>(gy.cy, units, s.order);
    }
    const std::unique_ptr<T[]> g(new T[size_t(s.total() * width)]), states(new T[size_t(s.total() * units)]);
    const T *kept = gy.kept.elements<T>(), *upper = gy.y.elements<T>(), *R = in.R.elements<T>();
    for (int64_t t = s.count() - 1; t >= 0; --t) {
        const int64_t start = s.starts[t], rows = s.sizes[t];
        const Rows<const T> h = before<T>(s, t, h0, kept, kept_width, h_place, units);
        const Rows<const T> c = widths.has_memory ? before<T>(s, t, c0, kept, kept_width, h_place - 1, units) : Rows<const T>();
        for (int64_t i = 0; i < rows; ++i) {
            for (int64_t u = 0; u < units; ++u) gh[i * units + u] += upper[s.rows[start + i] * units + u];
            std::copy_n(h.first + i * h.stride, units, states.get() + (start + i) * units);
        }
        T* now = g.get() + start * width;
        step_cell_back(cell, StepGradients<T>{.rows = rows, .units = units, .h = h, .c = c, .kept = {kept + start * kept_width, kept_width},
                                              .gc = gc.data(), .gh = gh.data(), .gradients = now});
        const T direct = cell == RecurrentCell::gru ? 1 : 0;
        product(rows, units, gates, now, width, R, direct, gh.data(), units);
    }
    scatter(gh, gx.h0, units, s.order);
    if (widths.has_memory) scatter(gc, gx.c0, units, s.order);
    outer_product(gates, units, s.total(), g.get(), width, states.get(), units, gx.R.to_fill<T>());
    store_gradients(cell, s, g.get(), units, gx);
}

}  // namespace

void recurrent_forward(RecurrentCell cell, const SequenceSteps& steps, const RecurrentInputs& in, const RecurrentOutputs& out) {
    if (in.x.dtype() == Dtype::float32) return forward<float>(cell, steps, in, out);
    forward<double>(cell, steps, in, out);
}

void recurrent_backward(RecurrentCell cell, const SequenceSteps& steps, const RecurrentInputs& in, const RecurrentOutputs& gy,
                        const RecurrentInputs& gx) {
    if (in.x.dtype() == Dtype::float32) return backward<float>(cell, steps, in, gy, gx);
    backward<double>(cell, steps, in, gy, gx);
}

}  // namespace catena
