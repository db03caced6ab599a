#include "runtime/cpu/recurrent_cells.h"

#include "runtime/core/vector_code.h"
#include "runtime/cpu/independent.h"

namespace catena {
namespace {

/// What a row of a step reads and writes, from the first of n units on; the next gate's stand `apart` or `width` elements further.
template <class T>
struct ForwardRow {
    const T* sums;
    const T* x;
    const T* b;
    const T* before;  ///< lstm: c, gru: h.
    T* kept;
    T* y;
    int64_t n, apart, width;
};
template <class T>
struct BackwardRow {
    const T* kept;
    const T* before;
    const T* gy;
    T* gc;
    T* gh;
    T* g;
    int64_t n, width;
};

template <class T>
CATENA_INLINE void plain_forward(const ForwardRow<T>& row, bool rectified) {
    const T *s = row.sums, *x = row.x, *b = row.b;
    T *h = row.kept, *y = row.y;
    CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) h[u] = s[u] + (x[u] + b[u]);
    if (rectified)
        CATENA_INDEPENDENT
        for (int64_t u = 0; u < row.n; ++u) h[u] = h[u] < 0 ? T(0) : h[u];  // NaN stays.
    else
        CATENA_INDEPENDENT
        for (int64_t u = 0; u < row.n; ++u) h[u] = vector_tanh(h[u]);
    CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) y[u] = h[u];
}
template <class T>
CATENA_INLINE void plain_backward(const BackwardRow<T>& row, bool rectified) {
    const T *h = row.kept, *gh = row.gh, *gy = row.gy;
    T* g = row.g;
    if (rectified)
        CATENA_INDEPENDENT
        for (int64_t u = 0; u < row.n; ++u) g[u] = h[u] > 0 ? gh[u] + gy[u] : T(0);
    else
        CATENA_INDEPENDENT
        for (int64_t u = 0; u < row.n; ++u) g[u] = (gh[u] + gy[u]) * (1 - h[u] * h[u]);
}

template <class T>
CATENA_INLINE void gru_forward(const ForwardRow<T>& row) {
    const int64_t apart = row.apart, width = row.width;
    const T *s = row.sums, *x = row.x, *b = row.b, *before = row.before;
    T *kept = row.kept, *y = row.y;
    CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) {
        const T r = vector_sigmoid(s[u] + (x[u] + b[u]));
        const T z = vector_sigmoid(s[apart + u] + (x[width + u] + b[width + u]));
        const T from_h = s[2 * apart + u] + b[2 * width + u];
        const T a = vector_tanh(x[2 * width + u] + r * from_h);
        const T h = (1 - z) * a + z * before[u];
        kept[u] = r;
        kept[width + u] = z;
        kept[2 * width + u] = from_h;
        kept[3 * width + u] = a;
        kept[4 * width + u] = h;
        y[u] = h;
    }
}
template <class T>
CATENA_INLINE void gru_backward(const BackwardRow<T>& row) {
    const int64_t width = row.width;
    const T *kept = row.kept, *before = row.before, *gy = row.gy;
    T *gh = row.gh, *g = row.g;
    CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) {
        const T r = kept[u], z = kept[width + u], from_h = kept[2 * width + u], a = kept[3 * width + u];
        const T to_h = gh[u] + gy[u];
        const T to_a = to_h * (1 - z) * (1 - a * a);
        g[u] = to_a * from_h * r * (1 - r);
        g[width + u] = to_h * (before[u] - a) * z * (1 - z);
        g[2 * width + u] = to_a * r;
        g[3 * width + u] = to_a;
        gh[u] = to_h * z;
    }
}

template <class T>
CATENA_INLINE void lstm_forward(const ForwardRow<T>& row) {
    const int64_t apart = row.apart, width = row.width;
    const T *s = row.sums, *x = row.x, *b = row.b, *before = row.before;
    T *kept = row.kept, *y = row.y;
    CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) {
        const T i = vector_sigmoid(s[u] + (x[u] + b[u]));
        const T f = vector_sigmoid(s[apart + u] + (x[width + u] + b[width + u]));
        const T a = vector_tanh(s[2 * apart + u] + (x[2 * width + u] + b[2 * width + u]));
        const T o = vector_sigmoid(s[3 * apart + u] + (x[3 * width + u] + b[3 * width + u]));
        const T c = a * i + f * before[u];
        const T h = o * vector_tanh(c);
        kept[u] = i;
        kept[width + u] = f;
        kept[2 * width + u] = a;
        kept[3 * width + u] = o;
        kept[4 * width + u] = c;
        kept[5 * width + u] = h;
        y[u] = h;
    }
}
template <class T>
CATENA_INLINE void lstm_backward(const BackwardRow<T>& row) {
    const int64_t width = row.width;
    const T *kept = row.kept, *before = row.before, *gy = row.gy, *gh = row.gh;
    T *gc = row.gc, *g = row.g;
    CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) {
        const T i = kept[u], f = kept[width + u], a = kept[2 * width + u], o = kept[3 * width + u];
        const T shaped = vector_tanh(kept[4 * width + u]);
        const T to_h = gh[u] + gy[u];
        const T to_cell = gc[u] + to_h * o * (1 - shaped * shaped);
        g[u] = to_cell * a * i * (1 - i);
        g[width + u] = to_cell * before[u] * f * (1 - f);
        g[2 * width + u] = to_cell * i * (1 - a * a);
        g[3 * width + u] = to_h * shaped * o * (1 - o);
        gc[u] = to_cell * f;
    }
}

/// Of the rows before a step, those that a cell's elements read.
template <class T, class Step>
CATENA_INLINE const T* state_before(RecurrentCell cell, const Step& s, int64_t i) {
    if (cell == RecurrentCell::lstm) return s.c.first + i * s.c.stride + s.first;
    return s.h.first + i * s.h.stride + s.first;
}

template <class T>
CATENA_INLINE void forward(RecurrentCell cell, const StepRows<T>& s) {
    const int64_t gates = widths_of(cell).gates * s.units;
    for (int64_t i = 0; i < s.rows; ++i) {
        const ForwardRow<T> row{.sums = s.sums.first + i * s.sums.stride,
                                .x = s.x + s.row[i] * gates + s.first,
                                .b = s.b + s.first,
                                .before = state_before<T>(cell, s, i),
                                .kept = s.kept.first + i * s.kept.stride + s.first,
                                .y = s.y + s.row[i] * s.units + s.first,
                                .n = s.count,
                                .apart = s.rows * s.sums.stride,
                                .width = s.units};
        switch (cell) {
            case RecurrentCell::tanh: plain_forward(row, false); break;
            case RecurrentCell::relu: plain_forward(row, true); break;
            case RecurrentCell::gru: gru_forward(row); break;
            case RecurrentCell::lstm: lstm_forward(row); break;
        }
    }
}

template <class T>
CATENA_INLINE void backward(RecurrentCell cell, const StepGradients<T>& s) {
    for (int64_t i = 0; i < s.rows; ++i) {
        const BackwardRow<T> row{.kept = s.kept.first + i * s.kept.stride + s.first,
                                 .before = state_before<T>(cell, s, i),
                                 .gy = s.gy + s.row[i] * s.units + s.first,
                                 .gc = s.gc + i * s.units + s.first,
                                 .gh = s.gh + i * s.units + s.first,
                                 .g = s.gradients.first + i * s.gradients.stride + s.first,
                                 .n = s.count,
                                 .width = s.units};
        switch (cell) {
            case RecurrentCell::tanh: plain_backward(row, false); break;
            case RecurrentCell::relu: plain_backward(row, true); break;
            case RecurrentCell::gru: gru_backward(row); break;
            case RecurrentCell::lstm: lstm_backward(row); break;
        }
    }
}

CATENA_VECTOR_CODE void run(RecurrentCell cell, const StepRows<float>& s) { forward(cell, s); }
CATENA_VECTOR_CODE void run_back(RecurrentCell cell, const StepGradients<float>& s) { backward(cell, s); }

}  // namespace

void step_cell(RecurrentCell cell, const StepRows<float>& s) { run(cell, s); }
void step_cell(RecurrentCell cell, const StepRows<double>& s) { forward(cell, s); }
void step_cell_back(RecurrentCell cell, const StepGradients<float>& s) { run_back(cell, s); }
void step_cell_back(RecurrentCell cell, const StepGradients<double>& s) { backward(cell, s); }

}  // namespace catena
