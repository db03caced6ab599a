#include "runtime/cpu/recurrent_cells.h"

#include "runtime/core/parallel.h"
#include "runtime/core/vector_code.h"

namespace catena {
namespace {

/// Units below which a second thread does not pay.
constexpr int64_t units_per_thread = 4'000;

template <class T>
CATENA_INLINE void plain_forward(T* __restrict h, int64_t n, bool rectified) {
    if (rectified)
        for (int64_t u = 0; u < n; ++u) h[u] = h[u] < 0 ? T(0) : h[u];  // NaN stays.
    else
        for (int64_t u = 0; u < n; ++u) h[u] = vector_tanh(h[u]);
}
template <class T>
CATENA_INLINE void plain_backward(const T* __restrict h, const T* __restrict gh, T* __restrict g, int64_t n, bool rectified) {
    if (rectified)
        for (int64_t u = 0; u < n; ++u) g[u] = h[u] > 0 ? gh[u] : T(0);
    else
        for (int64_t u = 0; u < n; ++u) g[u] = gh[u] * (1 - h[u] * h[u]);
}

template <class T>
CATENA_INLINE void gru_forward(T* __restrict kept, const T* __restrict before, int64_t n) {
    T *r = kept, *z = kept + n, *from_h = kept + 2 * n, *a = kept + 3 * n, *h = kept + 4 * n;
    for (int64_t u = 0; u < 2 * n; ++u) kept[u] = vector_sigmoid(kept[u]);  // r and z
    for (int64_t u = 0; u < n; ++u) a[u] = vector_tanh(a[u] + r[u] * from_h[u]);
    for (int64_t u = 0; u < n; ++u) h[u] = (1 - z[u]) * a[u] + z[u] * before[u];
}
template <class T>
CATENA_INLINE void gru_backward(const T* __restrict kept, const T* __restrict before, T* __restrict gh, T* __restrict g, int64_t n) {
    const T *r = kept, *z = kept + n, *from_h = kept + 2 * n, *a = kept + 3 * n;
    for (int64_t u = 0; u < n; ++u) {
        const T to_a = gh[u] * (1 - z[u]) * (1 - a[u] * a[u]);
        g[u] = to_a * from_h[u] * r[u] * (1 - r[u]);
        g[n + u] = gh[u] * (before[u] - a[u]) * z[u] * (1 - z[u]);
        g[2 * n + u] = to_a * r[u];
        g[3 * n + u] = to_a;
        gh[u] *= z[u];
    }
}

template <class T>
CATENA_INLINE void lstm_forward(T* __restrict kept, const T* __restrict before, int64_t n) {
    T *i = kept, *f = kept + n, *a = kept + 2 * n, *o = kept + 3 * n, *c = kept + 4 * n, *h = kept + 5 * n;
    for (int64_t u = 0; u < 2 * n; ++u) kept[u] = vector_sigmoid(kept[u]);  // i and f
    for (int64_t u = 0; u < n; ++u) a[u] = vector_tanh(a[u]);
    for (int64_t u = 0; u < n; ++u) o[u] = vector_sigmoid(o[u]);
    for (int64_t u = 0; u < n; ++u) c[u] = a[u] * i[u] + f[u] * before[u];
    for (int64_t u = 0; u < n; ++u) h[u] = o[u] * vector_tanh(c[u]);
}
template <class T>
CATENA_INLINE void lstm_backward(const T* __restrict kept, const T* __restrict before, T* __restrict gc, const T* __restrict gh,
                                 T* __restrict g, int64_t n) {
    const T *i = kept, *f = kept + n, *a = kept + 2 * n, *o = kept + 3 * n, *c = kept + 4 * n;
    for (int64_t u = 0; u < n; ++u) {
        const T shaped = vector_tanh(c[u]);
        const T to_cell = gc[u] + gh[u] * o[u] * (1 - shaped * shaped);
        g[u] = to_cell * a[u] * i[u] * (1 - i[u]);
        g[n + u] = to_cell * before[u] * f[u] * (1 - f[u]);
        g[2 * n + u] = to_cell * i[u] * (1 - a[u] * a[u]);
        g[3 * n + u] = gh[u] * shaped * o[u] * (1 - o[u]);
        gc[u] = to_cell * f[u];
    }
}

template <class T>
CATENA_INLINE T* row_of(const Rows<T>& rows, int64_t row) {
    return rows.first + row * rows.stride;
}

template <class T>
CATENA_INLINE void forward(RecurrentCell cell, const StepRows<T>& s, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
        T* kept = row_of(s.kept, row);
        switch (cell) {
            case RecurrentCell::tanh: plain_forward(kept, s.units, false); break;
            case RecurrentCell::relu: plain_forward(kept, s.units, true); break;
            case RecurrentCell::gru: gru_forward(kept, row_of(s.h, row), s.units); break;
            case RecurrentCell::lstm: lstm_forward(kept, row_of(s.c, row), s.units); break;
        }
    }
}

template <class T>
CATENA_INLINE void backward(RecurrentCell cell, const StepGradients<T>& s, int64_t begin, int64_t end) {
    const int64_t n = s.units, width = widths_of(cell).gradients * n;
    for (int64_t row = begin; row < end; ++row) {
        const T* kept = row_of(s.kept, row);
        T *gh = s.gh + row * n, *g = s.gradients + row * width;
        switch (cell) {
            case RecurrentCell::tanh: plain_backward(kept, gh, g, n, false); break;
            case RecurrentCell::relu: plain_backward(kept, gh, g, n, true); break;
            case RecurrentCell::gru: gru_backward(kept, row_of(s.h, row), gh, g, n); break;
            case RecurrentCell::lstm: lstm_backward(kept, row_of(s.c, row), s.gc + row * n, gh, g, n); break;
        }
    }
}

CATENA_VECTOR_CODE void run(RecurrentCell cell, const StepRows<float>& s, int64_t begin, int64_t end) {
    forward(cell, s, begin, end);
}
void run(RecurrentCell cell, const StepRows<double>& s, int64_t begin, int64_t end) { forward(cell, s, begin, end); }
CATENA_VECTOR_CODE void run_back(RecurrentCell cell, const StepGradients<float>& s, int64_t begin, int64_t end) {
    backward(cell, s, begin, end);
}
void run_back(RecurrentCell cell, const StepGradients<double>& s, int64_t begin, int64_t end) { backward(cell, s, begin, end); }

int64_t rows_per_thread(int64_t units) { return 1 + units_per_thread / (units + 1); }

}  // namespace

void step_cell(RecurrentCell cell, const StepRows<float>& s) {
    parallel_for(s.rows, rows_per_thread(s.units), [&](int64_t begin, int64_t end) { run(cell, s, begin, end); });
}
void step_cell(RecurrentCell cell, const StepRows<double>& s) {
    parallel_for(s.rows, rows_per_thread(s.units), [&](int64_t begin, int64_t end) { run(cell, s, begin, end); });
}
void step_cell_back(RecurrentCell cell, const StepGradients<float>& s) {
    parallel_for(s.rows, rows_per_thread(s.units), [&](int64_t begin, int64_t end) { run_back(cell, s, begin, end); });
}
void step_cell_back(RecurrentCell cell, const StepGradients<double>& s) {
    parallel_for(s.rows, rows_per_thread(s.units), [&](int64_t begin, int64_t end) { run_back(cell, s, begin, end); });
}

}  // namespace catena
