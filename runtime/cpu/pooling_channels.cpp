#include "runtime/cpu/pooling_channels.h"

#include <algorithm>
#include <limits>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/core/vector_code.h"

namespace catena::channels_last {
namespace {

constexpr int64_t worthwhile_elements = 30'000;  ///< Fewer are not worth a thread.

struct Sizes {
    int64_t images, channels, height, width, out_height, out_width;
    int64_t kh, kw, sh, sw, ph, pw;

    Sizes(const Array& x, const Array& y, const PoolingWindow& w)
        : images(x.dim(0)), channels(x.dim(1)), height(x.dim(2)), width(x.dim(3)), out_height(y.dim(2)), out_width(y.dim(3)),
          kh(w.size[0]), kw(w.size[1]), sh(w.stride[0]), sw(w.stride[1]), ph(w.pad[0]), pw(w.pad[1]) {}

    int64_t inputs() const { return height * width * channels; }
    int64_t outputs() const { return out_height * out_width * channels; }
    int64_t work() const { return outputs() * kh * kw; }

    /// f(tap, offset of its first channel in the image) for the taps of a window that lie inside x, row by row.
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
            for (int64_t c = 0; c < s.channels; ++c) {
                const T v = from[c];
                const bool wins = (v > y[c]) | (v != v);
                y[c] = wins ? v : y[c];
                index[c] = wins ? tap : index[c];
            }
        });
    }
}
CATENA_VECTOR_CODE void run_max(const Sizes& s, int64_t oh, const float* x, float* y, int32_t* index) {
    max_row(s, oh, x, y, index);
}
void run_max(const Sizes& s, int64_t oh, const double* x, double* y, int32_t* index) { max_row(s, oh, x, y, index); }

template <class T>
CATENA_INLINE void average_row(const Sizes& s, int64_t oh, const T* x, T* y) {
    const T factor = T(1) / T(s.kh * s.kw);
    for (int64_t ow = 0; ow < s.out_width; ++ow, y += s.channels) {
        std::fill(y, y + s.channels, T(0));
        s.for_taps(oh, ow, [&](int32_t, int64_t at) {
            for (int64_t c = 0; c < s.channels; ++c) y[c] += x[at + c];
        });
        for (int64_t c = 0; c < s.channels; ++c) y[c] *= factor;
    }
}
CATENA_VECTOR_CODE void run_average(const Sizes& s, int64_t oh, const float* x, float* y) { average_row(s, oh, x, y); }
void run_average(const Sizes& s, int64_t oh, const double* x, double* y) { average_row(s, oh, x, y); }

/// Channels [begin, end) of one image.
template <class T>
CATENA_INLINE void scatter_channels(const Sizes& s, int64_t begin, int64_t end, const T* gy, const int32_t* index, T* gx) {
    for (int64_t p = 0; p < s.height * s.width; ++p) std::fill(gx + p * s.channels + begin, gx + p * s.channels + end, T(0));
    for (int64_t oh = 0; oh < s.out_height; ++oh)
        for (int64_t ow = 0; ow < s.out_width; ++ow, gy += s.channels, index += s.channels)
            s.for_taps(oh, ow, [&](int32_t tap, int64_t at) {
                T* to = gx + at;
                for (int64_t c = begin; c < end; ++c) to[c] = index[c] == tap ? to[c] + gy[c] : to[c];
            });
}
CATENA_VECTOR_CODE void run_scatter(const Sizes& s, int64_t begin, int64_t end, const float* gy, const int32_t* index, float* gx) {
    scatter_channels(s, begin, end, gy, index, gx);
}
void run_scatter(const Sizes& s, int64_t begin, int64_t end, const double* gy, const int32_t* index, double* gx) {
    scatter_channels(s, begin, end, gy, index, gx);
}

template <class T>
CATENA_INLINE void spread_channels(const Sizes& s, int64_t begin, int64_t end, const T* gy, T* gx) {
    const T factor = T(1) / T(s.kh * s.kw);
    for (int64_t p = 0; p < s.height * s.width; ++p) std::fill(gx + p * s.channels + begin, gx + p * s.channels + end, T(0));
    for (int64_t oh = 0; oh < s.out_height; ++oh)
        for (int64_t ow = 0; ow < s.out_width; ++ow, gy += s.channels)
            s.for_taps(oh, ow, [&](int32_t, int64_t at) {
                for (int64_t c = begin; c < end; ++c) gx[at + c] += gy[c] * factor;
            });
}
CATENA_VECTOR_CODE void run_spread(const Sizes& s, int64_t begin, int64_t end, const float* gy, float* gx) {
    spread_channels(s, begin, end, gy, gx);
}
void run_spread(const Sizes& s, int64_t begin, int64_t end, const double* gy, double* gx) {
    spread_channels(s, begin, end, gy, gx);
}

template <class F>
void with_type(const Array& x, F&& f) {
    if (x.dtype() == Dtype::float32) return f(float());
    CATENA_ASSERT(x.dtype() == Dtype::float64, "works on float32 and float64");
    f(double());
}

/// f(image, row of windows), in parallel.
template <class F>
void for_rows(const Sizes& s, F&& f) {
    const int64_t grain = 1 + worthwhile_elements / (s.work() / s.out_height + 1);
    parallel_for(s.images * s.out_height, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) f(i / s.out_height, i % s.out_height);
    });
}

/// f(image, first channel, end), in parallel: windows that overlap add to the same elements, but not of other channels.
template <class F>
void for_channels(const Sizes& s, F&& f) {
    constexpr int64_t block = 16;
    const int64_t blocks = (s.channels + block - 1) / block;
    const int64_t grain = 1 + worthwhile_elements / ((s.work() + s.inputs()) / blocks + 1);
    parallel_for(s.images * blocks, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end;) {  // As many blocks of one image as there are.
            const int64_t image = i / blocks, last = std::min(end, (image + 1) * blocks);
            f(image, i % blocks * block, std::min(s.channels, (last - image * blocks) * block));
            i = last;
        }
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
        for_rows(s, [&](int64_t image, int64_t row) {
            const int64_t at = image * s.outputs() + row * s.out_width * s.channels;
            run_max(s, row, from + image * s.inputs(), to + at, places + at);
        });
    });
}

void max_pool_scatter(const Array& gy, const Array& index, const PoolingWindow& window, const Array& gx) {
    const Sizes s(gx, gy, window);
    with_type(gx, [&](auto zero) {
        using T = decltype(zero);
        const T* from = gy.elements<T>();
        const int32_t* places = index.elements<int32_t>();
        T* to = gx.to_fill<T>();
        for_channels(s, [&](int64_t image, int64_t begin, int64_t end) {
            const int64_t at = image * s.outputs();
            run_scatter(s, begin, end, from + at, places + at, to + image * s.inputs());
        });
    });
}

void average_pool(const Array& x, const PoolingWindow& window, const Array& y) {
    const Sizes s(x, y, window);
    with_type(x, [&](auto zero) {
        using T = decltype(zero);
        const T* from = x.elements<T>();
        T* to = y.to_fill<T>();
        for_rows(s, [&](int64_t image, int64_t row) {
            run_average(s, row, from + image * s.inputs(), to + image * s.outputs() + row * s.out_width * s.channels);
        });
    });
}

void average_pool_spread(const Array& gy, const PoolingWindow& window, const Array& gx) {
    const Sizes s(gx, gy, window);
    with_type(gx, [&](auto zero) {
        using T = decltype(zero);
        const T* from = gy.elements<T>();
        T* to = gx.to_fill<T>();
        for_channels(s, [&](int64_t image, int64_t begin, int64_t end) {
            run_spread(s, begin, end, from + image * s.outputs(), to + image * s.inputs());
        });
    });
}

}  // namespace catena::channels_last
