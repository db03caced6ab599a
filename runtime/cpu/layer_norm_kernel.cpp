#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/core/system/error.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/normalization_kernel.h"
#include "runtime/core/simd/vector_widths.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

/// Partial sums of gradients towards gamma and beta; a fixed number, so that the order of additions
/// does not depend on the threads.
constexpr int64_t chunks = 16;

template <int bytes, class T>
CATENA_INLINE void row_statistics(const T* x, int64_t n, T eps, T& mean, T& rstd) {
    T m = sum_of<bytes>(x, n, [](auto each) { return each; }) / T(n);
    T v = sum_of<bytes>(x, n, [m](auto each) { return (each - m) * (each - m); });
    mean = m;
    rstd = T(1) / std::sqrt(v / T(n) + eps);
}

template <int bytes, class T>
CATENA_INLINE void run_forward_of(const T* x, const T* gamma, const T* beta, T eps, T* y,
                                  int64_t rows, int64_t n) {
    for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
        T mean, rstd;
        row_statistics<bytes>(x, n, eps, mean, rstd);
        for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
    }
}

template <int bytes, class T>
CATENA_INLINE void run_backward_of(const T* x, const T* gamma, const T* gy, T eps, T* gx, T* ggamma,
                                   T* gbeta, int64_t rows, int64_t n) {
    for (int64_t r = 0; r < rows; ++r, x += n, gy += n, gx += n) {
        T mean, rstd, sum_g = 0, sum_gx = 0;
        row_statistics<bytes>(x, n, eps, mean, rstd);
#pragma omp simd reduction(+ : sum_g, sum_gx)
        for (int64_t i = 0; i < n; ++i) {
            T g = gy[i] * gamma[i];
            sum_g += g;
            sum_gx += g * ((x[i] - mean) * rstd);
        }
        T mean_g = sum_g / T(n), mean_gx = sum_gx / T(n);
#pragma omp simd
        for (int64_t i = 0; i < n; ++i) {
            T normal = (x[i] - mean) * rstd;
            gx[i] = rstd * (gy[i] * gamma[i] - mean_g - normal * mean_gx);
            ggamma[i] += gy[i] * normal;
            gbeta[i] += gy[i];
        }
    }
}

CATENA_VECTOR_WIDTHS(void, run_forward,
                     (const float* x, const float* gamma, const float* beta, float eps, float* y,
                      int64_t rows, int64_t n),
                     (x, gamma, beta, eps, y, rows, n))
void run_forward(const double* x, const double* gamma, const double* beta, double eps, double* y,
                 int64_t rows, int64_t n) {
    run_forward_of<16>(x, gamma, beta, eps, y, rows, n);
}
CATENA_VECTOR_WIDTHS(void, run_backward,
                     (const float* x, const float* gamma, const float* gy, float eps, float* gx,
                      float* ggamma, float* gbeta, int64_t rows, int64_t n),
                     (x, gamma, gy, eps, gx, ggamma, gbeta, rows, n))
void run_backward(const double* x, const double* gamma, const double* gy, double eps, double* gx,
                  double* ggamma, double* gbeta, int64_t rows, int64_t n) {
    run_backward_of<16>(x, gamma, gy, eps, gx, ggamma, gbeta, rows, n);
}

template <class T>
void backward(const Array& x, const Array& gamma, const Array& gy, double eps, const Array& gx,
              const Array& ggamma, const Array& gbeta) {
    int64_t n = gamma.size(), rows = n ? x.size() / n : 0;
    int64_t parts = x.size() < 20'000 ? 1 : std::min(rows, chunks);
    std::vector<T> sums(size_t(std::max<int64_t>(parts, 1) * 2 * n));
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part) {
            int64_t first = rows * part / parts, last = rows * (part + 1) / parts;
            T* sum = sums.data() + part * 2 * n;
            run_backward(x.elements<T>() + first * n, gamma.elements<T>(),
                         gy.elements<T>() + first * n, T(eps), gx.to_fill<T>() + first * n, sum,
                         sum + n, last - first, n);
        }
    });
    for (int64_t i = 0; i < n; ++i) {
        T to_gamma = 0, to_beta = 0;
        for (int64_t part = 0; part < parts; ++part) {
            to_gamma += sums[part * 2 * n + i];
            to_beta += sums[part * 2 * n + n + i];
        }
        ggamma.to_fill<T>()[i] = to_gamma;
        gbeta.to_fill<T>()[i] = to_beta;
    }
}

template <class T>
void forward(const Array& x, const Array& gamma, const Array& beta, double eps, const Array& y) {
    int64_t n = gamma.size(), rows = n ? x.size() / n : 0;
    parallel_for(rows, machine::grain_of_elements(n), [&](int64_t begin, int64_t end) {
        run_forward(x.elements<T>() + begin * n, gamma.elements<T>(), beta.elements<T>(), T(eps),
                    y.to_fill<T>() + begin * n, end - begin, n);
    });
}

}  // namespace

void layer_norm_forward(const Array& x, const Array& gamma, const Array& beta, double eps,
                        const Array& y) {
    if (x.dtype() == Dtype::float32) return forward<float>(x, gamma, beta, eps, y);
    forward<double>(x, gamma, beta, eps, y);
}

void layer_norm_backward(const Array& x, const Array& gamma, const Array& gy, double eps,
                         const Array& gx, const Array& ggamma, const Array& gbeta) {
    if (x.dtype() == Dtype::float32) return backward<float>(x, gamma, gy, eps, gx, ggamma, gbeta);
    backward<double>(x, gamma, gy, eps, gx, ggamma, gbeta);
}

}  // namespace catena
