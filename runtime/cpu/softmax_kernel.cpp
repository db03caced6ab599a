#include "runtime/cpu/softmax_kernel.h"

#include <algorithm>
#include <limits>

#include "runtime/core/dtype/working_dtype.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/simd/vector_widths.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// Positions of the inner axes that are worked on together.
constexpr int64_t lanes = 64;
/// Elements below which a second thread does not pay.
constexpr int64_t elements_per_thread = 12'000;

template <int bytes, class T>
CATENA_INLINE T row_max(const T* x, int64_t n) {
    using V = Vector<T, bytes>;
    T m = -std::numeric_limits<T>::infinity();
    int64_t i = 0;
    if (n >= 4 * V::lanes) {
        auto a = V::load(x), b = a, c = a, d = a;
        for (; i + 4 * V::lanes <= n; i += 4 * V::lanes) {
            auto p = V::load(x + i), q = V::load(x + i + V::lanes),
                 r = V::load(x + i + 2 * V::lanes), s = V::load(x + i + 3 * V::lanes);
            a = p > a ? p : a, b = q > b ? q : b, c = r > c ? r : c, d = s > d ? s : d;
        }
        a = b > a ? b : a, c = d > c ? d : c, a = c > a ? c : a;
        for (int64_t k = 0; k < V::lanes; ++k) m = a[k] > m ? a[k] : m;
    }
    for (; i < n; ++i) m = x[i] > m ? x[i] : m;
    return m;
}

template <class T>
CATENA_INLINE T row_sum_exp(const T* x, T m, int64_t n) {
    T s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t i = 0; i < n; ++i) s += vector_exp(x[i] - m);
    return s;
}

template <int bytes, class T>
CATENA_INLINE void softmax_row(const T* x, T* y, int64_t n, bool log) {
    T m = row_max<bytes>(x, n);
    if (log) {
        // Not x - (m + shift): next to a large m the shift would be rounded away.
        T shift = std::log(row_sum_exp(x, m, n));
        for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - m) - shift;
        return;
    }
    T s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t i = 0; i < n; ++i) {
        T e = vector_exp(x[i] - m);
        y[i] = e;
        s += e;
    }
    T factor = T(1) / s;
    for (int64_t i = 0; i < n; ++i) y[i] *= factor;
}

template <class T>
CATENA_INLINE void softmax_gradient_row(const T* y, const T* gy, T* gx, int64_t n, bool log) {
    T s = 0;
    if (log) {
#pragma omp simd reduction(+ : s)
        for (int64_t i = 0; i < n; ++i) s += gy[i];
        for (int64_t i = 0; i < n; ++i) gx[i] = gy[i] - vector_exp(y[i]) * s;
    } else {
#pragma omp simd reduction(+ : s)
        for (int64_t i = 0; i < n; ++i) s += gy[i] * y[i];
        for (int64_t i = 0; i < n; ++i) gx[i] = y[i] * (gy[i] - s);
    }
}

/// Maximum and sum of exponentials along the axis, for `width` neighbouring positions.
template <class T>
CATENA_INLINE void lanes_max_sum(const T* x, int64_t n, int64_t stride, int64_t width, T* m, T* s) {
    for (int64_t j = 0; j < width; ++j) m[j] = -std::numeric_limits<T>::infinity(), s[j] = 0;
    for (int64_t c = 0; c < n; ++c)
        for (int64_t j = 0; j < width; ++j) {
            T v = x[c * stride + j];
            m[j] = v > m[j] ? v : m[j];
        }
    for (int64_t c = 0; c < n; ++c)
        for (int64_t j = 0; j < width; ++j) s[j] += vector_exp(x[c * stride + j] - m[j]);
}

template <class T>
CATENA_INLINE void softmax_lanes(const T* x, T* y, int64_t n, int64_t stride, int64_t width,
                                 bool log) {
    T m[lanes], s[lanes];
    lanes_max_sum(x, n, stride, width, m, s);
    for (int64_t j = 0; j < width; ++j) s[j] = log ? std::log(s[j]) : T(1) / s[j];
    for (int64_t c = 0; c < n; ++c)
        for (int64_t j = 0; j < width; ++j) {
            T v = x[c * stride + j] - m[j];
            y[c * stride + j] = log ? v - s[j] : vector_exp(v) * s[j];
        }
}

template <class T>
CATENA_INLINE void softmax_gradient_lanes(const T* y, const T* gy, T* gx, int64_t n, int64_t stride,
                                          int64_t width, bool log) {
    T s[lanes] = {};
    for (int64_t c = 0; c < n; ++c)
        for (int64_t j = 0; j < width; ++j)
            s[j] += log ? gy[c * stride + j] : gy[c * stride + j] * y[c * stride + j];
    for (int64_t c = 0; c < n; ++c)
        for (int64_t j = 0; j < width; ++j) {
            int64_t at = c * stride + j;
            gx[at] = log ? gy[at] - vector_exp(y[at]) * s[j] : y[at] * (gy[at] - s[j]);
        }
}

template <int bytes>
CATENA_INLINE void softmax_block_of(const float* x, float* y, int64_t n, int64_t stride,
                                    int64_t width, bool log) {
    if (stride == 1) return softmax_row<bytes>(x, y, n, log);
    softmax_lanes(x, y, n, stride, width, log);
}
CATENA_VECTOR_WIDTHS(void, softmax_block,
                     (const float* x, float* y, int64_t n, int64_t stride, int64_t width, bool log),
                     (x, y, n, stride, width, log))
void softmax_block(const double* x, double* y, int64_t n, int64_t stride, int64_t width, bool log) {
    softmax_lanes(x, y, n, stride, width, log);
}
CATENA_VECTOR_CODE void softmax_gradient_block(const float* y, const float* gy, float* gx,
                                               int64_t n, int64_t stride, int64_t width, bool log) {
    if (stride == 1) return softmax_gradient_row(y, gy, gx, n, log);
    softmax_gradient_lanes(y, gy, gx, n, stride, width, log);
}
void softmax_gradient_block(const double* y, const double* gy, double* gx, int64_t n,
                            int64_t stride, int64_t width, bool log) {
    softmax_gradient_lanes(y, gy, gx, n, stride, width, log);
}

/// max(x) and sum(exp(x - max(x))) of `width` positions.
template <int bytes>
CATENA_INLINE void max_sum_block_of(const float* x, int64_t n, int64_t stride, int64_t width,
                                    float* m, float* s) {
    if (stride > 1) return lanes_max_sum(x, n, stride, width, m, s);
    *m = row_max<bytes>(x, n);
    *s = row_sum_exp(x, *m, n);
}
CATENA_VECTOR_WIDTHS(void, max_sum_block,
                     (const float* x, int64_t n, int64_t stride, int64_t width, float* m, float* s),
                     (x, n, stride, width, m, s))
void max_sum_block(const double* x, int64_t n, int64_t stride, int64_t width, double* m,
                   double* s) {
    lanes_max_sum(x, n, stride, width, m, s);
}

template <class T>
CATENA_INLINE void scaled_softmax(const T* x, const T* highest, const T* factor, T* gx, int64_t n,
                                  int64_t stride, int64_t width) {
    if (stride == 1) {
        T shift = *highest, f = *factor;
        for (int64_t c = 0; c < n; ++c) gx[c] = vector_exp(x[c] - shift) * f;
        return;
    }
    for (int64_t c = 0; c < n; ++c)
        for (int64_t j = 0; j < width; ++j)
            gx[c * stride + j] = vector_exp(x[c * stride + j] - highest[j]) * factor[j];
}
CATENA_VECTOR_CODE void scaled_softmax_block(const float* x, const float* highest,
                                             const float* factor, float* gx, int64_t n,
                                             int64_t stride, int64_t width) {
    scaled_softmax(x, highest, factor, gx, n, stride, width);
}
void scaled_softmax_block(const double* x, const double* highest, const double* factor, double* gx,
                          int64_t n, int64_t stride, int64_t width) {
    scaled_softmax(x, highest, factor, gx, n, stride, width);
}

/// Calls f(offset of the first element, first position, width) for blocks of neighbouring
/// positions.
template <class F>
void for_each_block(const AxisView& view, F&& f) {
    int64_t blocks = (view.inner + lanes - 1) / lanes;
    int64_t per_block = view.size * std::min(view.inner, lanes) + 1;
    parallel_for(view.outer * blocks, 1 + elements_per_thread / per_block,
                 [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                         int64_t o = i / blocks, first = i % blocks * lanes;
                         f(o * view.size * view.inner + first, o * view.inner + first,
                           std::min(lanes, view.inner - first));
                     }
                 });
}

template <class F>
void visit_float(Dtype dtype, F&& f) {
    if (dtype == Dtype::float32) return f(float());
    CATENA_ASSERT(dtype == Dtype::float64, "works on float32 and float64");
    f(double());
}

}  // namespace

AxisView::AxisView(const Shape& shape, int axis) {
    for (int i = 0; i < shape.rank(); ++i)
        (i < axis ? outer : i == axis ? size : inner) *= shape[i];
}

Array as_working_array(const Array& array, Dtype dtype) {
    return array.astype(working_dtype(dtype)).as_contiguous();
}
Array working_output(const Array& y) {
    Dtype dtype = working_dtype(y.dtype());
    return dtype == y.dtype() ? y : Array::empty({dtype, y.shape()}, y.device());
}
void store(const Array& working, const Array& y) {
    if (!(working == y)) copy_elements(working, y);
}

void softmax_forward(const Array& x, const Array& y, int axis, bool log) {
    AxisView view(x.shape(), axis);
    visit_float(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* from = x.elements<T>();
        T* to = y.to_fill<T>();
        for_each_block(view, [&](int64_t at, int64_t, int64_t width) {
            softmax_block(from + at, to + at, view.size, view.inner, width, log);
        });
    });
}

void softmax_backward(const Array& y, const Array& gy, const Array& gx, int axis, bool log) {
    AxisView view(y.shape(), axis);
    visit_float(y.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T *py = y.elements<T>(), *pgy = gy.elements<T>();
        T* to = gx.to_fill<T>();
        for_each_block(view, [&](int64_t at, int64_t, int64_t width) {
            softmax_gradient_block(py + at, pgy + at, to + at, view.size, view.inner, width, log);
        });
    });
}

void cross_entropy_forward(const Array& x, const CrossEntropyTask& task, const Array& loss,
                           const Array& highest, const Array& total) {
    AxisView view(x.shape(), 1);
    visit_float(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* from = x.elements<T>();
        T *to = loss.to_fill<T>(), *maxima = highest.to_fill<T>(), *sums = total.to_fill<T>();
        for_each_block(view, [&](int64_t at, int64_t position, int64_t width) {
            max_sum_block(from + at, view.size, view.inner, width, maxima + position,
                          sums + position);
            for (int64_t j = 0; j < width; ++j) {
                int64_t label = task.labels[position + j];
                if (label == task.ignore_label) {
                    to[position + j] = 0;
                    continue;
                }
                const T value = std::log(sums[position + j]) +
                                (maxima[position + j] - from[at + label * view.inner + j]);
                const T weight = task.class_weights ? T(task.class_weights[label]) : T(1);
                to[position + j] = weight == T(0) ? T(0) : value * weight;  // Not 0 * infinity.
            }
        });
    });
}

void cross_entropy_backward(const Array& x, const CrossEntropyTask& task, const Array& highest,
                            const Array& total, const Array& gy, double scale, const Array& gx) {
    AxisView view(x.shape(), 1);
    visit_float(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T *from = x.elements<T>(), *maxima = highest.elements<T>(),
                *sums = total.elements<T>(), *upper = gy.elements<T>();
        T* to = gx.to_fill<T>();
        bool one = gy.size() == 1;
        for_each_block(view, [&](int64_t at, int64_t position, int64_t width) {
            T factor[lanes], share[lanes];
            for (int64_t j = 0; j < width; ++j) {
                int64_t label = task.labels[position + j];
                factor[j] =
                    label == task.ignore_label ? 0 : upper[one ? 0 : position + j] * T(scale);
                if (task.class_weights && label != task.ignore_label)
                    factor[j] *= T(task.class_weights[label]);
                share[j] = factor[j] / sums[position + j];
            }
            scaled_softmax_block(from + at, maxima + position, share, to + at, view.size,
                                 view.inner, width);
            for (int64_t j = 0; j < width; ++j) {
                int64_t label = task.labels[position + j];
                if (label != task.ignore_label) {
                    to[at + label * view.inner + j] -= factor[j];
                    continue;
                }
                // NaN in an ignored row must not propagate.
                for (int64_t c = 0; c < view.size; ++c) to[at + c * view.inner + j] = 0;
            }
        });
    });
}

}  // namespace catena
