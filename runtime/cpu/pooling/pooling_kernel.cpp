#include "runtime/cpu/pooling/pooling_kernel.h"

#include <algorithm>
#include <limits>

#include "runtime/core/system/error.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/pooling/pooling_pairs.h"
#include "runtime/core/simd/vector_code.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

/// Sizes of one [H, W] plane and the windows over it.
struct Plane {
    int64_t height, width, out_height, out_width;
    int64_t kh, kw, sh, sw, ph, pw;

    Plane(const Array& x, const Array& y, const PoolingWindow& w)
        : height(x.dim(2)),
          width(x.dim(3)),
          out_height(y.dim(2)),
          out_width(y.dim(3)),
          kh(w.size[0]),
          kw(w.size[1]),
          sh(w.stride[0]),
          sw(w.stride[1]),
          ph(w.pad[0]),
          pw(w.pad[1]) {}

    /// Output columns [begin, end) whose tap j lies inside x.
    CATENA_INLINE int64_t first_column(int64_t j) const {
        int64_t missing = pw - j;
        return missing <= 0 ? 0 : (missing + sw - 1) / sw;
    }
    CATENA_INLINE int64_t end_column(int64_t j) const {
        int64_t last = width - 1 + pw - j;
        return last < 0 ? 0 : std::min(out_width, last / sw + 1);
    }
    int64_t inputs() const { return height * width; }
    int64_t outputs() const { return out_height * out_width; }
    /// Windows of one row side by side without overlap or padding.
    bool tiles_in_pairs() const {
        return kh == 2 && kw == 2 && sh == 2 && sw == 2 && ph == 0 && pw == 0 &&
               out_height * 2 <= height && out_width * 2 <= width;
    }
};

// Rows of windows: the loop over neighbouring windows is the inner one, so that it vectorises. Step
// is the column stride where known, 0 otherwise.

template <class T, int Step>
CATENA_INLINE void max_row(const T* x, int64_t step, int64_t count, int32_t tap, T* y,
                           int32_t* index) {
    if (Step) step = Step;
    for (int64_t o = 0; o < count; ++o) {
        T v = x[o * step];
        bool wins = (v > y[o]) | (v != v);
        y[o] = wins ? v : y[o];
        index[o] = wins ? tap : index[o];
    }
}

template <class T>
CATENA_INLINE void max_plane(const Plane& p, const T* x, T* y, int32_t* index) {
    for (int64_t oh = 0; oh < p.out_height; ++oh) {
        T* row = y + oh * p.out_width;
        int32_t* row_index = index + oh * p.out_width;
        for (int64_t o = 0; o < p.out_width; ++o) row[o] = -std::numeric_limits<T>::infinity();
        for (int64_t o = 0; o < p.out_width; ++o) row_index[o] = 0;
        for (int64_t i = 0; i < p.kh; ++i) {
            int64_t ih = oh * p.sh - p.ph + i;
            if (ih < 0 || ih >= p.height) continue;
            for (int64_t j = 0; j < p.kw; ++j) {
                int64_t first = p.first_column(j), count = p.end_column(j) - first;
                if (count <= 0) continue;
                const T* from = x + ih * p.width + first * p.sw - p.pw + j;
                int32_t tap = int32_t(i * p.kw + j);
                if (p.sw == 1)
                    max_row<T, 1>(from, 1, count, tap, row + first, row_index + first);
                else if (p.sw == 2)
                    max_row<T, 2>(from, 2, count, tap, row + first, row_index + first);
                else
                    max_row<T, 0>(from, p.sw, count, tap, row + first, row_index + first);
            }
        }
    }
}

/// The commonest window, 2 x 2 with stride 2, in one pass over x.
template <class T>
CATENA_INLINE void max_plane_pairs(const Plane& p, const T* x, T* y, int32_t* index) {
    for (int64_t oh = 0; oh < p.out_height; ++oh) {
        const T *r0 = x + 2 * oh * p.width, *r1 = r0 + p.width;
        T* row = y + oh * p.out_width;
        int32_t* row_index = index + oh * p.out_width;
        for (int64_t o = 0; o < p.out_width; ++o) {
            T best = r0[2 * o];
            int32_t tap = 0;
            T v = r0[2 * o + 1];
            bool wins = (v > best) | (v != v);
            best = wins ? v : best, tap = wins ? 1 : tap;
            v = r1[2 * o], wins = (v > best) | (v != v);
            best = wins ? v : best, tap = wins ? 2 : tap;
            v = r1[2 * o + 1], wins = (v > best) | (v != v);
            row[o] = wins ? v : best;
            row_index[o] = wins ? 3 : tap;
        }
    }
}

template <class T>
CATENA_INLINE void scatter_plane_pairs(const Plane& p, const T* gy, const int32_t* index, T* gx) {
    for (int64_t oh = 0; oh < p.out_height; ++oh) {
        T *r0 = gx + 2 * oh * p.width, *r1 = r0 + p.width;
        const T* row = gy + oh * p.out_width;
        const int32_t* tap = index + oh * p.out_width;
        for (int64_t o = 0; o < p.out_width; ++o) {
            r0[2 * o] = tap[o] == 0 ? row[o] : T(0);
            r0[2 * o + 1] = tap[o] == 1 ? row[o] : T(0);
        }
        for (int64_t o = 0; o < p.out_width; ++o) {
            r1[2 * o] = tap[o] == 2 ? row[o] : T(0);
            r1[2 * o + 1] = tap[o] == 3 ? row[o] : T(0);
        }
        for (int64_t w = 2 * p.out_width; w < p.width; ++w) r0[w] = r1[w] = 0;
    }
    std::fill(gx + 2 * p.out_height * p.width, gx + p.height * p.width, T(0));
}

template <class T>
CATENA_INLINE void max_planes(const Plane& p, const T* x, T* y, int32_t* index, int64_t planes) {
    for (int64_t i = 0; i < planes; ++i) {
        if (p.tiles_in_pairs())
            max_plane_pairs(p, x, y, index);
        else
            max_plane(p, x, y, index);
        x += p.inputs(), y += p.outputs(), index += p.outputs();
    }
}
CATENA_VECTOR_CODE void run_max_vectors(const Plane& p, const float* x, float* y, int32_t* index,
                                        int64_t planes) {
    max_planes(p, x, y, index, planes);
}
void run_max(const Plane& p, const float* x, float* y, int32_t* index, int64_t planes) {
    if (!p.tiles_in_pairs() || !has_masked_pairs()) return run_max_vectors(p, x, y, index, planes);
    for (int64_t i = 0; i < planes; ++i)
        masked_pairs_max(x + i * p.inputs(), p.width, p.out_height, p.out_width,
                         y + i * p.outputs(), index + i * p.outputs());
}
void run_max(const Plane& p, const double* x, double* y, int32_t* index, int64_t planes) {
    max_planes(p, x, y, index, planes);
}

/// Calls f(output, input) for windows whose winner lies inside x.
template <class F>
CATENA_INLINE void for_each_winner(const Plane& p, const int32_t* index, F&& f) {
    for (int64_t oh = 0; oh < p.out_height; ++oh)
        for (int64_t ow = 0; ow < p.out_width; ++ow) {
            int64_t tap = index[oh * p.out_width + ow];
            int64_t ih = oh * p.sh - p.ph + tap / p.kw, iw = ow * p.sw - p.pw + tap % p.kw;
            if (ih >= 0 && ih < p.height && iw >= 0 && iw < p.width)
                f(oh * p.out_width + ow, ih * p.width + iw);
        }
}

template <class T>
CATENA_INLINE void scatter_planes(const Plane& p, const T* gy, const int32_t* index, T* gx,
                                  int64_t planes) {
    for (int64_t i = 0; i < planes; ++i) {
        if (p.tiles_in_pairs()) {
            scatter_plane_pairs(p, gy, index, gx);
        } else {
            std::fill(gx, gx + p.inputs(), T(0));
            for_each_winner(p, index,
                            [&](int64_t output, int64_t input) { gx[input] += gy[output]; });
        }
        gx += p.inputs(), gy += p.outputs(), index += p.outputs();
    }
}
CATENA_VECTOR_CODE void run_scatter_vectors(const Plane& p, const float* gy, const int32_t* index,
                                            float* gx, int64_t planes) {
    scatter_planes(p, gy, index, gx, planes);
}
void run_scatter(const Plane& p, const float* gy, const int32_t* index, float* gx, int64_t planes) {
    if (!p.tiles_in_pairs() || !has_masked_pairs())
        return run_scatter_vectors(p, gy, index, gx, planes);
    for (int64_t i = 0; i < planes; ++i)
        masked_pairs_scatter(gy + i * p.outputs(), index + i * p.outputs(), p.height, p.width,
                             p.out_height, p.out_width, gx + i * p.inputs());
}
void run_scatter(const Plane& p, const double* gy, const int32_t* index, double* gx,
                 int64_t planes) {
    scatter_planes(p, gy, index, gx, planes);
}

/// Adds taps of x to windows, or windows to the taps.
template <bool Spread, class X, class Y>
CATENA_INLINE void average_planes(const Plane& p, X* x, Y* y, int64_t planes) {
    using T = std::remove_const_t<X>;
    const T factor = T(1) / T(p.kh * p.kw);
    for (int64_t plane = 0; plane < planes; ++plane, x += p.inputs(), y += p.outputs()) {
        if constexpr (Spread)
            std::fill(x, x + p.inputs(), T(0));
        else
            std::fill(y, y + p.outputs(), T(0));
        for (int64_t oh = 0; oh < p.out_height; ++oh) {
            Y* row = y + oh * p.out_width;
            for (int64_t i = 0; i < p.kh; ++i) {
                int64_t ih = oh * p.sh - p.ph + i;
                if (ih < 0 || ih >= p.height) continue;
                for (int64_t j = 0; j < p.kw; ++j) {
                    int64_t first = p.first_column(j), end = p.end_column(j);
                    const int64_t at = ih * p.width - p.pw +
                                       j;  // Before x where the first windows begin in the padding.
                    if constexpr (Spread)
                        for (int64_t o = first; o < end; ++o) x[at + o * p.sw] += row[o] * factor;
                    else
                        for (int64_t o = first; o < end; ++o) row[o] += x[at + o * p.sw];
                }
            }
            if constexpr (!Spread)
                for (int64_t o = 0; o < p.out_width; ++o) row[o] *= factor;
        }
    }
}
CATENA_VECTOR_CODE void run_average(const Plane& p, const float* x, float* y, int64_t planes) {
    average_planes<false>(p, x, y, planes);
}
void run_average(const Plane& p, const double* x, double* y, int64_t planes) {
    average_planes<false>(p, x, y, planes);
}
CATENA_VECTOR_CODE void run_spread(const Plane& p, float* x, const float* y, int64_t planes) {
    average_planes<true>(p, x, y, planes);
}
void run_spread(const Plane& p, double* x, const double* y, int64_t planes) {
    average_planes<true>(p, x, y, planes);
}

/// f(T(), first plane, number of planes) on threads, T being the element type.
template <class F>
void for_planes(const Array& x, const Plane& p, F&& f) {
    int64_t planes = x.dim(0) * x.dim(1),
            grain = machine::grain_of_elements(p.inputs() + p.kh * p.kw * p.outputs());
    parallel_for(planes, grain, [&](int64_t begin, int64_t end) {
        if (x.dtype() == Dtype::float32) return f(float(), begin, end - begin);
        CATENA_ASSERT(x.dtype() == Dtype::float64, "works on float32 and float64");
        f(double(), begin, end - begin);
    });
}

}  // namespace

void max_pool(const Array& x, const PoolingWindow& window, const Array& y, const Array& index) {
    Plane p(x, y, window);
    for_planes(x, p, [&](auto zero, int64_t first, int64_t count) {
        using T = decltype(zero);
        run_max(p, x.elements<T>() + first * p.inputs(), y.to_fill<T>() + first * p.outputs(),
                index.to_fill<int32_t>() + first * p.outputs(), count);
    });
}

void max_pool_scatter(const Array& gy, const Array& index, const PoolingWindow& window,
                      const Array& gx) {
    Plane p(gx, gy, window);
    for_planes(gx, p, [&](auto zero, int64_t first, int64_t count) {
        using T = decltype(zero);
        run_scatter(p, gy.elements<T>() + first * p.outputs(),
                    index.elements<int32_t>() + first * p.outputs(),
                    gx.to_fill<T>() + first * p.inputs(), count);
    });
}

void max_pool_gather(const Array& x, const Array& index, const PoolingWindow& window,
                     const Array& y) {
    Plane p(x, y, window);
    for_planes(x, p, [&](auto zero, int64_t first, int64_t count) {
        using T = decltype(zero);
        for (int64_t plane = first; plane < first + count; ++plane) {
            const T* from = x.elements<T>() + plane * p.inputs();
            T* to = y.to_fill<T>() + plane * p.outputs();
            std::fill(to, to + p.outputs(), T(0));
            for_each_winner(p, index.elements<int32_t>() + plane * p.outputs(),
                            [&](int64_t output, int64_t input) { to[output] = from[input]; });
        }
    });
}

void average_pool(const Array& x, const PoolingWindow& window, const Array& y) {
    Plane p(x, y, window);
    for_planes(x, p, [&](auto zero, int64_t first, int64_t count) {
        using T = decltype(zero);
        run_average(p, x.elements<T>() + first * p.inputs(), y.to_fill<T>() + first * p.outputs(),
                    count);
    });
}

void average_pool_spread(const Array& gy, const PoolingWindow& window, const Array& gx) {
    Plane p(gx, gy, window);
    for_planes(gx, p, [&](auto zero, int64_t first, int64_t count) {
        using T = decltype(zero);
        run_spread(p, gx.to_fill<T>() + first * p.inputs(), gy.elements<T>() + first * p.outputs(),
                   count);
    });
}

}  // namespace catena
