#include "runtime/cpu/recurrent/recurrent_cells.h"

#include "runtime/core/simd/vector_code.h"
#include "runtime/cpu/blocks/independent.h"

namespace catena {
namespace {

constexpr int64_t most_gates = 4;

/// What a row of a step reads and writes, from the first of n units on. What is kept of the next
/// gate stands `width` elements further.
template <class T>
struct ForwardRow {
    const T *sums[most_gates], *x[most_gates], *b[most_gates];
    const T* before;  ///< lstm: c, gru: h.
    T* kept;
    T* y;
    int64_t n, width;
};
template <class T>
struct BackwardRow {
    const T* kept;
    const T* before;
    const T* gy;
    T* gc;
    T* gh;
    T* g[most_gates];
    int64_t n, width;
};

template <class T>
CATENA_INLINE void plain_forward(const ForwardRow<T>& row, bool rectified) {
    const T *s = row.sums[0], *x = row.x[0], *b = row.b[0];
    T *h = row.kept, *y = row.y;
    CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) h[u] = s[u] + (x[u] + b[u]);
    if (rectified) CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) h[u] = h[u] < 0 ? T(0) : h[u];  // NaN stays.
    else CATENA_INDEPENDENT for (int64_t u = 0; u < row.n; ++u) h[u] = vector_tanh(h[u]);
    CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) y[u] = h[u];
}
template <class T>
CATENA_INLINE void plain_backward(const BackwardRow<T>& row, bool rectified) {
    const T *h = row.kept, *gh = row.gh, *gy = row.gy;
    T* g = row.g[0];
    if (rectified) CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) g[u] = h[u] > 0 ? gh[u] + gy[u] : T(0);
    else CATENA_INDEPENDENT for (int64_t u = 0; u < row.n; ++u) g[u] =
        (gh[u] + gy[u]) * (1 - h[u] * h[u]);
}

template <class T>
CATENA_INLINE void gru_forward(const ForwardRow<T>& row) {
    const int64_t width = row.width;
    const T *s_r = row.sums[0], *s_z = row.sums[1], *s_a = row.sums[2], *x_r = row.x[0],
            *x_z = row.x[1], *x_a = row.x[2];
    const T *b_r = row.b[0], *b_z = row.b[1], *b_a = row.b[2], *before = row.before;
    T *kept = row.kept, *y = row.y;
    CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) {
        const T r = vector_sigmoid(s_r[u] + (x_r[u] + b_r[u]));
        const T z = vector_sigmoid(s_z[u] + (x_z[u] + b_z[u]));
        const T from_h = s_a[u] + b_a[u];
        const T a = vector_tanh(x_a[u] + r * from_h);
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
    T *gh = row.gh, *g_r = row.g[0], *g_z = row.g[1], *g_h = row.g[2], *g_x = row.g[3];
    CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) {
        const T r = kept[u], z = kept[width + u], from_h = kept[2 * width + u],
                a = kept[3 * width + u];
        const T to_h = gh[u] + gy[u];
        const T to_a = to_h * (1 - z) * (1 - a * a);
        g_r[u] = to_a * from_h * r * (1 - r);
        g_z[u] = to_h * (before[u] - a) * z * (1 - z);
        g_h[u] = to_a * r;
        g_x[u] = to_a;
        gh[u] = to_h * z;
    }
}

template <class T>
CATENA_INLINE void lstm_forward(const ForwardRow<T>& row) {
    const int64_t width = row.width;
    const T *s_i = row.sums[0], *s_f = row.sums[1], *s_a = row.sums[2], *s_o = row.sums[3];
    const T *x_i = row.x[0], *x_f = row.x[1], *x_a = row.x[2], *x_o = row.x[3];
    const T *b_i = row.b[0], *b_f = row.b[1], *b_a = row.b[2], *b_o = row.b[3],
            *before = row.before;
    T *kept = row.kept, *y = row.y;
    CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) {
        const T i = vector_sigmoid(s_i[u] + (x_i[u] + b_i[u]));
        const T f = vector_sigmoid(s_f[u] + (x_f[u] + b_f[u]));
        const T a = vector_tanh(s_a[u] + (x_a[u] + b_a[u]));
        const T o = vector_sigmoid(s_o[u] + (x_o[u] + b_o[u]));
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
    T *gc = row.gc, *g_i = row.g[0], *g_f = row.g[1], *g_a = row.g[2], *g_o = row.g[3];
    CATENA_INDEPENDENT
    for (int64_t u = 0; u < row.n; ++u) {
        const T i = kept[u], f = kept[width + u], a = kept[2 * width + u], o = kept[3 * width + u];
        const T shaped = vector_tanh(kept[4 * width + u]);
        const T to_h = gh[u] + gy[u];
        const T to_cell = gc[u] + to_h * o * (1 - shaped * shaped);
        g_i[u] = to_cell * a * i * (1 - i);
        g_f[u] = to_cell * before[u] * f * (1 - f);
        g_a[u] = to_cell * i * (1 - a * a);
        g_o[u] = to_h * shaped * o * (1 - o);
        gc[u] = to_cell * f;
    }
}

/// The rows before a step that a cell's elements read.
template <class T, class Step>
CATENA_INLINE const T* state_before(RecurrentCell cell, const Step& s, int64_t i) {
    if (cell == RecurrentCell::lstm) return s.c.first + i * s.c.stride + s.first;
    return s.h.first + i * s.h.stride + s.first;
}

template <class T>
CATENA_INLINE void forward(RecurrentCell cell, const StepRows<T>& s) {
    const int64_t gates = widths_of(cell).gates;
    for (int64_t i = 0; i < s.rows; ++i) {
        ForwardRow<T> row{.before = state_before<T>(cell, s, i),
                          .kept = s.kept.first + i * s.kept.stride + s.first,
                          .y = s.y + s.row[i] * s.units + s.first,
                          .n = s.count,
                          .width = s.units};
        for (int64_t gate = 0; gate < gates; ++gate) {
            row.sums[gate] = s.sums.first + (s.places[gate] * s.rows + i) * s.sums.stride;
            row.x[gate] = s.x + (s.row[i] * gates + s.places[gate]) * s.units + s.first;
            row.b[gate] = s.b + s.places[gate] * s.units + s.first;
        }
        switch (cell) {
            case RecurrentCell::tanh:
                plain_forward(row, false);
                break;
            case RecurrentCell::relu:
                plain_forward(row, true);
                break;
            case RecurrentCell::gru:
                gru_forward(row);
                break;
            case RecurrentCell::lstm:
                lstm_forward(row);
                break;
        }
    }
}

template <class T>
CATENA_INLINE void backward(RecurrentCell cell, const StepGradients<T>& s) {
    for (int64_t i = 0; i < s.rows; ++i) {
        BackwardRow<T> row{.kept = s.kept.first + i * s.kept.stride + s.first,
                           .before = state_before<T>(cell, s, i),
                           .gy = s.gy + s.row[i] * s.units + s.first,
                           .gc = s.gc + i * s.units + s.first,
                           .gh = s.gh + i * s.units + s.first,
                           .n = s.count,
                           .width = s.units};
        for (int64_t k = 0; k < widths_of(cell).gradients; ++k)
            row.g[k] = s.gradients.first + i * s.gradients.stride + s.places[k] * s.units + s.first;
        switch (cell) {
            case RecurrentCell::tanh:
                plain_backward(row, false);
                break;
            case RecurrentCell::relu:
                plain_backward(row, true);
                break;
            case RecurrentCell::gru:
                gru_backward(row);
                break;
            case RecurrentCell::lstm:
                lstm_backward(row);
                break;
        }
    }
}

CATENA_VECTOR_CODE void run(RecurrentCell cell, const StepRows<float>& s) { forward(cell, s); }
CATENA_VECTOR_CODE void run_back(RecurrentCell cell, const StepGradients<float>& s) {
    backward(cell, s);
}

}  // namespace

void step_cell(RecurrentCell cell, const StepRows<float>& s) { run(cell, s); }
void step_cell(RecurrentCell cell, const StepRows<double>& s) { forward(cell, s); }
void step_cell_back(RecurrentCell cell, const StepGradients<float>& s) { run_back(cell, s); }
void step_cell_back(RecurrentCell cell, const StepGradients<double>& s) { backward(cell, s); }

}  // namespace catena
