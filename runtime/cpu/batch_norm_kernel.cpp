#include <algorithm>
#include <cmath>

#include "runtime/core/system/error.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/normalization_kernel.h"
#include "runtime/core/simd/vector_code.h"

namespace catena {
namespace {

/// Keys of [outer, keys] arrays (inner is 1) that are worked on together.
constexpr int64_t lanes = 64;

// One key of [outer, keys, inner]: `outer` segments of `inner` neighbours, `stride` apart. Segment
// sums are added up in double, so that long batches lose nothing.

template <class T>
CATENA_INLINE void key_statistics(const T* x, int64_t outer, int64_t stride, int64_t inner, T& mean,
                                  T& variance) {
    double total = 0, squares = 0, count = double(outer * inner);
    for (int64_t o = 0; o < outer; ++o) {
        const T* row = x + o * stride;
        T s = 0;
#pragma omp simd reduction(+ : s)
        for (int64_t i = 0; i < inner; ++i) s += row[i];
        total += double(s);
    }
    T m = T(total / count);
    for (int64_t o = 0; o < outer; ++o) {
        const T* row = x + o * stride;
        T s = 0;
#pragma omp simd reduction(+ : s)
        for (int64_t i = 0; i < inner; ++i) {
            T d = row[i] - m;
            s += d * d;
        }
        squares += double(s);
    }
    mean = m;
    variance = T(squares / count);
}

template <class T>
CATENA_INLINE void scale_key(const T* x, int64_t outer, int64_t stride, int64_t inner, T mean,
                             T factor, T beta, T* y) {
    for (int64_t o = 0; o < outer; ++o)
        for (int64_t i = 0; i < inner; ++i)
            y[o * stride + i] = (x[o * stride + i] - mean) * factor + beta;
}

template <class T>
CATENA_INLINE void key_gradient(const T* x, const T* gy, int64_t outer, int64_t stride,
                                int64_t inner, T mean, T rstd, T gamma, T* gx, T& ggamma,
                                T& gbeta) {
    double to_gamma = 0, to_beta = 0, count = double(outer * inner);
    for (int64_t o = 0; o < outer; ++o) {
        const T *row = x + o * stride, *upper = gy + o * stride;
        T s = 0, p = 0;
#pragma omp simd reduction(+ : s, p)
        for (int64_t i = 0; i < inner; ++i) {
            s += upper[i];
            p += upper[i] * (row[i] - mean);
        }
        to_beta += double(s);
        to_gamma += double(p);
    }
    to_gamma *= double(rstd);
    T mean_g = T(to_beta / count), slope = T(to_gamma / count) * rstd, factor = gamma * rstd;
    for (int64_t o = 0; o < outer; ++o) {
        const T *row = x + o * stride, *upper = gy + o * stride;
        for (int64_t i = 0; i < inner; ++i)
            gx[o * stride + i] = factor * (upper[i] - mean_g - (row[i] - mean) * slope);
    }
    ggamma = T(to_gamma);
    gbeta = T(to_beta);
}

// Neighbouring keys of [outer, keys]: the same with the loop over keys inside.

template <class T>
CATENA_INLINE void lanes_statistics(const T* x, int64_t outer, int64_t stride, int64_t width,
                                    T* mean, T* variance) {
    double total[lanes] = {}, squares[lanes] = {};
    for (int64_t o = 0; o < outer; ++o)
        for (int64_t k = 0; k < width; ++k) total[k] += double(x[o * stride + k]);
    for (int64_t k = 0; k < width; ++k) mean[k] = T(total[k] / double(outer));
    for (int64_t o = 0; o < outer; ++o)
        for (int64_t k = 0; k < width; ++k) {
            double d = double(x[o * stride + k] - mean[k]);
            squares[k] += d * d;
        }
    for (int64_t k = 0; k < width; ++k) variance[k] = T(squares[k] / double(outer));
}

template <class T>
CATENA_INLINE void lanes_gradient(const T* x, const T* gy, int64_t outer, int64_t stride,
                                  int64_t width, const T* mean, const T* variance, const T* gamma,
                                  T eps, T* gx, T* ggamma, T* gbeta) {
    double to_gamma[lanes] = {}, to_beta[lanes] = {};
    T mean_g[lanes], slope[lanes], factor[lanes];
    for (int64_t o = 0; o < outer; ++o)
        for (int64_t k = 0; k < width; ++k) {
            to_beta[k] += double(gy[o * stride + k]);
            to_gamma[k] += double(gy[o * stride + k] * (x[o * stride + k] - mean[k]));
        }
    for (int64_t k = 0; k < width; ++k) {
        T rstd = T(1) / std::sqrt(variance[k] + eps);
        to_gamma[k] *= double(rstd);
        mean_g[k] = T(to_beta[k] / double(outer));
        slope[k] = T(to_gamma[k] / double(outer)) * rstd;
        factor[k] = gamma[k] * rstd;
        ggamma[k] = T(to_gamma[k]);
        gbeta[k] = T(to_beta[k]);
    }
    for (int64_t o = 0; o < outer; ++o)
        for (int64_t k = 0; k < width; ++k) {
            int64_t at = o * stride + k;
            gx[at] = factor[k] * (gy[at] - mean_g[k] - (x[at] - mean[k]) * slope[k]);
        }
}

/// Everything that the loops over keys need.
template <class T>
struct Forward {
    KeyView view;
    const T *x, *gamma, *beta;
    T eps;
    T *y, *mean, *variance;
};
template <class T>
struct Backward {
    KeyView view;
    const T *x, *gamma, *mean, *variance, *gy;
    T eps;
    T *gx, *ggamma, *gbeta;
};

template <class T>
CATENA_INLINE void forward_keys(const Forward<T>& f, int64_t begin, int64_t end) {
    auto [outer, keys, inner] = f.view;
    if (inner == 1) {
        for (int64_t k = begin; k < end; k += lanes) {
            int64_t width = std::min(lanes, end - k);
            lanes_statistics(f.x + k, outer, keys, width, f.mean + k, f.variance + k);
            T factor[lanes];
            for (int64_t j = 0; j < width; ++j)
                factor[j] = f.gamma[k + j] / std::sqrt(f.variance[k + j] + f.eps);
            for (int64_t o = 0; o < outer; ++o)
                for (int64_t j = 0; j < width; ++j)
                    f.y[o * keys + k + j] =
                        (f.x[o * keys + k + j] - f.mean[k + j]) * factor[j] + f.beta[k + j];
        }
        return;
    }
    for (int64_t k = begin; k < end; ++k) {
        key_statistics(f.x + k * inner, outer, keys * inner, inner, f.mean[k], f.variance[k]);
        T factor = f.gamma[k] / std::sqrt(f.variance[k] + f.eps);
        scale_key(f.x + k * inner, outer, keys * inner, inner, f.mean[k], factor, f.beta[k],
                  f.y + k * inner);
    }
}

template <class T>
CATENA_INLINE void backward_keys(const Backward<T>& b, int64_t begin, int64_t end) {
    auto [outer, keys, inner] = b.view;
    if (inner == 1) {
        for (int64_t k = begin; k < end; k += lanes)
            lanes_gradient(b.x + k, b.gy + k, outer, keys, std::min(lanes, end - k), b.mean + k,
                           b.variance + k, b.gamma + k, b.eps, b.gx + k, b.ggamma + k, b.gbeta + k);
        return;
    }
    for (int64_t k = begin; k < end; ++k) {
        T rstd = T(1) / std::sqrt(b.variance[k] + b.eps);
        key_gradient(b.x + k * inner, b.gy + k * inner, outer, keys * inner, inner, b.mean[k], rstd,
                     b.gamma[k], b.gx + k * inner, b.ggamma[k], b.gbeta[k]);
    }
}

CATENA_VECTOR_CODE void run_keys(const Forward<float>& f, int64_t begin, int64_t end) {
    forward_keys(f, begin, end);
}
void run_keys(const Forward<double>& f, int64_t begin, int64_t end) { forward_keys(f, begin, end); }
CATENA_VECTOR_CODE void run_keys(const Backward<float>& b, int64_t begin, int64_t end) {
    backward_keys(b, begin, end);
}
void run_keys(const Backward<double>& b, int64_t begin, int64_t end) {
    backward_keys(b, begin, end);
}

template <class Task>
void for_keys(const Task& task) {
    const KeyView& v = task.view;
    // Neighbouring lanes stay together, so that threads do not share cache lines.
    int64_t unit = v.inner == 1 ? lanes : 1, units = (v.keys + unit - 1) / unit;
    parallel_for(units, 1 + 12'000 / (v.outer * v.inner * unit + 1),
                 [&](int64_t begin, int64_t end) {
                     run_keys(task, begin * unit, std::min(v.keys, end * unit));
                 });
}

template <class T>
void forward(const KeyView& view, const Array& x, const Array& gamma, const Array& beta, double eps,
             const Array& y, const Array& mean, const Array& variance) {
    for_keys(Forward<T>{view, x.elements<T>(), gamma.elements<T>(), beta.elements<T>(), T(eps),
                        y.to_fill<T>(), mean.to_fill<T>(), variance.to_fill<T>()});
}

template <class T>
void backward(const KeyView& view, const Array& x, const Array& gamma, const Array& mean,
              const Array& variance, const Array& gy, double eps, const Array& gx,
              const Array& ggamma, const Array& gbeta) {
    for_keys(Backward<T>{view, x.elements<T>(), gamma.elements<T>(), mean.elements<T>(),
                         variance.elements<T>(), gy.elements<T>(), T(eps), gx.to_fill<T>(),
                         ggamma.to_fill<T>(), gbeta.to_fill<T>()});
}

}  // namespace

void batch_norm_forward(const KeyView& view, const Array& x, const Array& gamma, const Array& beta,
                        double eps, const Array& y, const Array& mean, const Array& variance) {
    if (x.dtype() == Dtype::float32)
        return forward<float>(view, x, gamma, beta, eps, y, mean, variance);
    forward<double>(view, x, gamma, beta, eps, y, mean, variance);
}

void batch_norm_backward(const KeyView& view, const Array& x, const Array& gamma, const Array& mean,
                         const Array& variance, const Array& gy, double eps, const Array& gx,
                         const Array& ggamma, const Array& gbeta) {
    if (view.outer * view.inner == 0) {  // Sums of nothing, not the mean's NaN.
        for (const Array& sum : {ggamma, gbeta}) copy_elements(Array::zeros(sum.type()), sum);
        return;
    }
    if (x.dtype() == Dtype::float32)
        return backward<float>(view, x, gamma, mean, variance, gy, eps, gx, ggamma, gbeta);
    backward<double>(view, x, gamma, mean, variance, gy, eps, gx, ggamma, gbeta);
}

}  // namespace catena
