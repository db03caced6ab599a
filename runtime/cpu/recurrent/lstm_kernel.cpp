#include "runtime/cpu/recurrent/lstm_kernel.h"

#include <algorithm>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/simd/vector_code.h"

namespace catena {
namespace {

/// Units below which a second thread does not pay.
constexpr int64_t units_per_thread = 4'000;
/// Gates are taken apart for this many units at a time, so that the arithmetic runs on neighbours.
constexpr int64_t block = 64;

template <class T>
struct Gates {
    T a[block], i[block], f[block], o[block];
};

template <class T>
CATENA_INLINE void load_gates(const T* x, int64_t n, Gates<T>& g) {
    for (int64_t u = 0; u < n; ++u) {
        g.a[u] = x[4 * u];
        g.i[u] = x[4 * u + 1];
        g.f[u] = x[4 * u + 2];
        g.o[u] = x[4 * u + 3];
    }
    for (int64_t u = 0; u < n; ++u) g.a[u] = vector_tanh(g.a[u]);
    for (int64_t u = 0; u < n; ++u) g.i[u] = vector_sigmoid(g.i[u]);
    for (int64_t u = 0; u < n; ++u) g.f[u] = vector_sigmoid(g.f[u]);
    for (int64_t u = 0; u < n; ++u) g.o[u] = vector_sigmoid(g.o[u]);
}

template <class T>
CATENA_INLINE void forward_units(const T* c_prev, const T* x, T* c, T* h, int64_t count) {
    Gates<T> g;
    for (int64_t first = 0; first < count; first += block) {
        int64_t n = std::min(block, count - first);
        load_gates(x + 4 * first, n, g);
        for (int64_t u = 0; u < n; ++u) {
            T cell = g.a[u] * g.i[u] + c_prev[first + u] * g.f[u];
            c[first + u] = cell;
            h[first + u] = g.o[u] * vector_tanh(cell);
        }
    }
}

template <class T>
CATENA_INLINE void backward_units(const T* c_prev, const T* x, const T* gc, const T* gh, T* gc_prev,
                                  T* gx, int64_t count) {
    Gates<T> g;
    for (int64_t first = 0; first < count; first += block) {
        int64_t n = std::min(block, count - first);
        load_gates(x + 4 * first, n, g);
        Gates<T> d;
        for (int64_t u = 0; u < n; ++u) {
            T old = c_prev[first + u], upper = gh[first + u];
            T shaped = vector_tanh(g.a[u] * g.i[u] + old * g.f[u]);
            T cell = gc[first + u] + upper * g.o[u] * (1 - shaped * shaped);
            gc_prev[first + u] = cell * g.f[u];
            d.a[u] = cell * g.i[u] * (1 - g.a[u] * g.a[u]);
            d.i[u] = cell * g.a[u] * g.i[u] * (1 - g.i[u]);
            d.f[u] = cell * old * g.f[u] * (1 - g.f[u]);
            d.o[u] = upper * shaped * g.o[u] * (1 - g.o[u]);
        }
        T* to = gx + 4 * first;
        for (int64_t u = 0; u < n; ++u) {
            to[4 * u] = d.a[u];
            to[4 * u + 1] = d.i[u];
            to[4 * u + 2] = d.f[u];
            to[4 * u + 3] = d.o[u];
        }
    }
}

CATENA_VECTOR_CODE void run_forward(const float* c_prev, const float* x, float* c, float* h,
                                    int64_t count) {
    forward_units(c_prev, x, c, h, count);
}
void run_forward(const double* c_prev, const double* x, double* c, double* h, int64_t count) {
    forward_units(c_prev, x, c, h, count);
}
CATENA_VECTOR_CODE void run_backward(const float* c_prev, const float* x, const float* gc,
                                     const float* gh, float* gc_prev, float* gx, int64_t count) {
    backward_units(c_prev, x, gc, gh, gc_prev, gx, count);
}
void run_backward(const double* c_prev, const double* x, const double* gc, const double* gh,
                  double* gc_prev, double* gx, int64_t count) {
    backward_units(c_prev, x, gc, gh, gc_prev, gx, count);
}

template <class T>
void forward(const Array& c_prev, const Array& x, const Array& c, const Array& h) {
    int64_t count = h.size();
    const T *old = c_prev.elements<T>(), *gates = x.elements<T>();
    T *cell = c.to_fill<T>(), *out = h.to_fill<T>();
    parallel_for(count, units_per_thread, [&](int64_t begin, int64_t end) {
        run_forward(old + begin, gates + 4 * begin, cell + begin, out + begin, end - begin);
    });
    std::copy(old + count, old + c.size(), cell + count);
}

template <class T>
void backward(const Array& c_prev, const Array& x, const Array& gc, const Array& gh,
              const Array& gc_prev, const Array& gx) {
    int64_t count = gh.size();
    const T *old = c_prev.elements<T>(), *gates = x.elements<T>(), *to_c = gc.elements<T>(),
            *to_h = gh.elements<T>();
    T *to_old = gc_prev.to_fill<T>(), *to_gates = gx.to_fill<T>();
    parallel_for(count, units_per_thread, [&](int64_t begin, int64_t end) {
        run_backward(old + begin, gates + 4 * begin, to_c + begin, to_h + begin, to_old + begin,
                     to_gates + 4 * begin, end - begin);
    });
    std::copy(to_c + count, to_c + gc.size(), to_old + count);
}

}  // namespace

void lstm_forward(const Array& c_prev, const Array& x, const Array& c, const Array& h) {
    if (x.dtype() == Dtype::float32) return forward<float>(c_prev, x, c, h);
    forward<double>(c_prev, x, c, h);
}

void lstm_backward(const Array& c_prev, const Array& x, const Array& gc, const Array& gh,
                   const Array& gc_prev, const Array& gx) {
    if (x.dtype() == Dtype::float32) return backward<float>(c_prev, x, gc, gh, gc_prev, gx);
    backward<double>(c_prev, x, gc, gh, gc_prev, gx);
}

}  // namespace catena
