#include "runtime/cpu/pooling/pooling_channels.h"

#include <algorithm>
#include <limits>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/simd/vector_code.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/blocks/independent.h"
#include "runtime/cpu/machine.h"

namespace catena::channels_last {
namespace {

struct Sizes {
    int64_t images, channels, height, width, out_height, out_width;
    int64_t kh, kw, sh, sw, ph, pw;

    Sizes(const Array& x, const Array& y, const PoolingWindow& w)
        : images(x.dim(0)),
          channels(x.dim(1)),
          height(x.dim(2)),
          width(x.dim(3)),
          out_height(y.dim(2)),
          out_width(y.dim(3)),
          kh(w.size[0]),
          kw(w.size[1]),
          sh(w.stride[0]),
          sw(w.stride[1]),
          ph(w.pad[0]),
          pw(w.pad[1]) {}

    int64_t inputs() const { return height * width * channels; }
    int64_t outputs() const { return out_height * out_width * channels; }
    int64_t work() const { return outputs() * kh * kw; }

    /// f(tap, offset of its first channel in the image) for the taps of a window that lie inside x,
    /// row by row.
    template <class F>
    CATENA_INLINE void for_taps(int64_t oh, int64_t ow, F&& f) const {
        for (int64_t i = 0; i < kh; ++i) {
            const int64_t h = oh * sh - ph + i;
            if (h < 0 || h >= height) continue;
            for (int64_t j = 0; j < kw; ++j) {
                const int64_t w = ow * sw - pw + j;
                if (w >= 0 && w < width) f(int32_t(i * kw + j), (h * width + w) * channels);
            }
        }
    }
};

/// A row of windows of one image.
template <class T>
CATENA_INLINE void max_row(const Sizes& s, int64_t oh, const T* x, T* y, int32_t* index) {
    for (int64_t ow = 0; ow < s.out_width; ++ow, y += s.channels, index += s.channels) {
        std::fill(y, y + s.channels, -std::numeric_limits<T>::infinity());
        std::fill(index, index + s.channels, 0);
        s.for_taps(oh, ow, [&](int32_t tap, int64_t at) {
            const T* from = x + at;
            CATENA_INDEPENDENT
            for (int64_t c = 0; c < s.channels; ++c) {
                const T v = from[c];
                const bool wins = (v > y[c]) | (v != v);
                y[c] = wins ? v : y[c];
                index[c] = wins ? tap : index[c];
            }
        });
    }
}
CATENA_VECTOR_CODE void run_max(const Sizes& s, int64_t oh, const float* x, float* y,
                                int32_t* index) {
    max_row(s, oh, x, y, index);
}
void run_max(const Sizes& s, int64_t oh, const double* x, double* y, int32_t* index) {
    max_row(s, oh, x, y, index);
}

template <class T>
CATENA_INLINE void average_row(const Sizes& s, int64_t oh, const T* x, T* y) {
    const T factor = T(1) / T(s.kh * s.kw);
    for (int64_t ow = 0; ow < s.out_width; ++ow, y += s.channels) {
        std::fill(y, y + s.channels, T(0));
        s.for_taps(oh, ow, [&](int32_t, int64_t at) {
            CATENA_INDEPENDENT
            for (int64_t c = 0; c < s.channels; ++c) y[c] += x[at + c];
        });
        CATENA_INDEPENDENT
        for (int64_t c = 0; c < s.channels; ++c) y[c] *= factor;
    }
}
CATENA_VECTOR_CODE void run_average(const Sizes& s, int64_t oh, const float* x, float* y) {
    average_row(s, oh, x, y);
}
void run_average(const Sizes& s, int64_t oh, const double* x, double* y) {
    average_row(s, oh, x, y);
}

/// A row of the images that windows read, in which it stays in a core's cache: what its elements
/// get from each window, in the order of the windows. f(tap, offset of the window's first channel,
/// what its tap is added to).
template <class T, class F>
CATENA_INLINE void gather_row(const Sizes& s, int64_t h, T* gx, F&& f) {
    std::fill(gx, gx + s.width * s.channels, T(0));
    const int64_t before = h + s.ph - s.kh + 1;
    const int64_t first = before > 0 ? (before + s.sh - 1) / s.sh : 0,
                  last = std::min(s.out_height - 1, (h + s.ph) / s.sh);
    for (int64_t oh = first; oh <= last; ++oh)
        for (int64_t ow = 0; ow < s.out_width; ++ow)
            for (int64_t j = 0; j < s.kw; ++j) {
                const int64_t w = ow * s.sw - s.pw + j;
                if (w < 0 || w >= s.width) continue;
                f(int32_t((h - oh * s.sh + s.ph) * s.kw + j), (oh * s.out_width + ow) * s.channels,
                  gx + w * s.channels);
            }
}

template <class T>
CATENA_INLINE void scatter_row(const Sizes& s, int64_t h, const T* gy, const int32_t* index,
                               T* gx) {
    gather_row(s, h, gx, [&](int32_t tap, int64_t at, T* to) {
        const T* from = gy + at;
        const int32_t* taps = index + at;
        CATENA_INDEPENDENT
        for (int64_t c = 0; c < s.channels; ++c) to[c] = taps[c] == tap ? to[c] + from[c] : to[c];
    });
}
CATENA_VECTOR_CODE void run_scatter(const Sizes& s, int64_t h, const float* gy,
                                    const int32_t* index, float* gx) {
    scatter_row(s, h, gy, index, gx);
}
void run_scatter(const Sizes& s, int64_t h, const double* gy, const int32_t* index, double* gx) {
    scatter_row(s, h, gy, index, gx);
}

template <class T>
CATENA_INLINE void spread_row(const Sizes& s, int64_t h, const T* gy, T* gx) {
    const T factor = T(1) / T(s.kh * s.kw);
    gather_row(s, h, gx, [&](int32_t, int64_t at, T* to) {
        CATENA_INDEPENDENT
        for (int64_t c = 0; c < s.channels; ++c) to[c] += gy[at + c] * factor;
    });
}
CATENA_VECTOR_CODE void run_spread(const Sizes& s, int64_t h, const float* gy, float* gx) {
    spread_row(s, h, gy, gx);
}
void run_spread(const Sizes& s, int64_t h, const double* gy, double* gx) {
    spread_row(s, h, gy, gx);
}

template <class F>
void with_type(const Array& x, F&& f) {
    if (x.dtype() == Dtype::float32) return f(float());
    CATENA_ASSERT(x.dtype() == Dtype::float64, "works on float32 and float64");
    f(double());
}

/// f(image, row) for `rows` rows of each image, in parallel.
template <class F>
void for_rows(const Sizes& s, int64_t rows, F&& f) {
    const int64_t grain = machine::grain_of_elements((s.work() + s.inputs()) / rows);
    parallel_for(s.images * rows, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) f(i / rows, i % rows);
    });
}

}  // namespace

void max_pool(const Array& x, const PoolingWindow& window, const Array& y, const Array& index) {
    const Sizes s(x, y, window);
    with_type(x, [&](auto zero) {
        using T = decltype(zero);
        const T* from = x.elements<T>();
        T* to = y.to_fill<T>();
        int32_t* places = index.to_fill<int32_t>();
        for_rows(s, s.out_height, [&](int64_t image, int64_t row) {
            const int64_t at = image * s.outputs() + row * s.out_width * s.channels;
            run_max(s, row, from + image * s.inputs(), to + at, places + at);
        });
    });
}

void max_pool_scatter(const Array& gy, const Array& index, const PoolingWindow& window,
                      const Array& gx) {
    const Sizes s(gx, gy, window);
    with_type(gx, [&](auto zero) {
        using T = decltype(zero);
        const T* from = gy.elements<T>();
        const int32_t* places = index.elements<int32_t>();
        T* to = gx.to_fill<T>();
        for_rows(s, s.height, [&](int64_t image, int64_t row) {
            const int64_t at = image * s.outputs();
            run_scatter(s, row, from + at, places + at,
                        to + image * s.inputs() + row * s.width * s.channels);
        });
    });
}

void average_pool(const Array& x, const PoolingWindow& window, const Array& y) {
    const Sizes s(x, y, window);
    with_type(x, [&](auto zero) {
        using T = decltype(zero);
        const T* from = x.elements<T>();
        T* to = y.to_fill<T>();
        for_rows(s, s.out_height, [&](int64_t image, int64_t row) {
            run_average(s, row, from + image * s.inputs(),
                        to + image * s.outputs() + row * s.out_width * s.channels);
        });
    });
}

void average_pool_spread(const Array& gy, const PoolingWindow& window, const Array& gx) {
    const Sizes s(gx, gy, window);
    with_type(gx, [&](auto zero) {
        using T = decltype(zero);
        const T* from = gy.elements<T>();
        T* to = gx.to_fill<T>();
        for_rows(s, s.height, [&](int64_t image, int64_t row) {
            run_spread(s, row, from + image * s.outputs(),
                       to + image * s.inputs() + row * s.width * s.channels);
        });
    });
}

}  // namespace catena::channels_last
