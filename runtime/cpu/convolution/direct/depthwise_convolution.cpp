#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "runtime/core/device.h"
#include "runtime/core/memory_order.h"
#include "runtime/core/parallel.h"
#include "runtime/cpu/convolution/direct/depthwise_tile.h"
#include "runtime/cpu/convolution/direct/direct_convolution.h"
#include "runtime/cpu/onednn/packed.h"

namespace catena {

#if defined(__x86_64__)
namespace {

constexpr int64_t channels_ahead = 128;  ///< How many are fetched ahead.
constexpr int64_t lanes = tile_lanes, side = depthwise_side, taps = side * side;

struct Sizes {
    int64_t images, channels, height, width, lines, columns, steps, pad_top, pad_left;
};

/// [taps, channels]
Array packed(const Array& W) {
    const int64_t channels = W.dim(0);
    const Array made = Array::empty({Dtype::float32, Shape{taps, channels}}, cpu_device());
    const float* const from = W.elements<float>();
    float* const to = made.to_fill<float>();
    for (int64_t t = 0; t < taps; ++t)
        for (int64_t c = 0; c < channels; ++c) to[t * channels + c] = from[c * taps + t];
    return made;
}

using TileKernel = void (*)(const DepthwiseTiles&);

/// Widths of tiles; a line is divided into the widest that fit.
constexpr std::array<int64_t, 4> widths{7, 4, 2, 1};

template <int lines, int steps, bool whole>
constexpr std::array<TileKernel, 4> kernels{compute_depthwise_tiles<lines, 7, steps, whole>, compute_depthwise_tiles<lines, 4, steps, whole>,
                                            compute_depthwise_tiles<lines, 2, steps, whole>, compute_depthwise_tiles<lines, 1, steps, whole>};

TileKernel kernel_of(int64_t lines, int64_t steps, size_t width, bool whole) {
    if (steps == 2) return whole ? kernels<1, 2, true>[width] : kernels<1, 2, false>[width];
    if (lines == 2) return whole ? kernels<2, 1, true>[width] : kernels<2, 1, false>[width];
    return whole ? kernels<1, 1, true>[width] : kernels<1, 1, false>[width];
}

class DepthwiseConvolution {
public:
    DepthwiseConvolution(const Sizes& sizes, const float* x, const float* W, const ConvolutionTail& tail, float* y)
        : s_(sizes), x_(x), W_(W), tail_(tail, s_.channels), y_(y) {}

    float run() {
        constexpr int64_t work_of_a_thread = 100'000, enough_lines = 8;
        const int64_t lines = s_.images * s_.lines, vectors = (s_.channels + lanes - 1) / lanes, threads = thread_count();
        const int64_t work = s_.columns * taps * lanes;
        if (lines % threads == 0 || lines >= enough_lines * threads)
            parallel_for(lines, 1 + work_of_a_thread / (work * vectors), [&](int64_t begin, int64_t end) { compute(begin, end, 0, vectors); });
        else
            parallel_for(vectors, 1 + work_of_a_thread / (work * lines), [&](int64_t begin, int64_t end) { compute(0, lines, begin, end); });
        return std::bit_cast<float>(largest_.load());
    }

private:
    /// Lines of the result are numbered through all images.
    void compute(int64_t line, int64_t end, int64_t first_vector, int64_t last_vector) {
        const int64_t most = s_.steps == 1 ? 2 : 1;
        LargestLanes largest;
        while (line < end) {
            const int64_t row = line % s_.lines, count = std::min({most, s_.lines - row, end - line});
            for (int64_t column = 0, width; column < s_.columns; column += width) {
                const size_t which = size_t(std::ranges::find_if(widths, [&](int64_t w) { return w <= s_.columns - column; }) - widths.begin());
                width = widths[which];
                compute_block(line, count, column, which, first_vector, last_vector, largest);
            }
            line += count;
        }
        int32_t known = largest_.load();
        while (largest.largest() > known && !largest_.compare_exchange_weak(known, largest.largest())) {
        }
    }

    void compute_block(int64_t line, int64_t lines, int64_t column, size_t which, int64_t first_vector, int64_t last_vector, LargestLanes& largest) const {
        const int64_t image = line / s_.lines, row = line % s_.lines, top = row * s_.steps - s_.pad_top, left = column * s_.steps - s_.pad_left;
        const int64_t in_columns = (widths[which] - 1) * s_.steps + side;
        const bool whole = left >= 0 && left + in_columns <= s_.width;
        const int64_t first = first_vector * lanes, last = std::min(s_.channels, last_vector * lanes);
        const int64_t to = (line * s_.columns + column) * s_.channels + first;
        DepthwiseTiles t{};
        t.x = x_ + ((image * s_.height + top) * s_.width + left) * s_.channels + first;
        t.x_line = s_.width * s_.channels, t.x_position = s_.channels;
        t.first_line = -top, t.last_line = s_.height - top;
        t.first_column = -left, t.last_column = s_.width - left;
        t.ahead = std::min(channels_ahead, last - first);
        t.further = widths[which] * s_.steps * s_.channels - (last - first);
        t.W = W_ + first, t.W_tap = s_.channels;
        t.tail = &tail_;
        t.channel = first, t.last_channel = last;
        t.other = tail_.other ? tail_.other + to : nullptr;
        t.y = y_ + to;
        t.y_line = s_.columns * s_.channels, t.y_position = s_.channels;
        t.largest = &largest;
        kernel_of(lines, s_.steps, which, whole)(t);
    }

    const Sizes s_;
    const float *const x_, *const W_;
    const TailNumbers tail_;
    float* const y_;
    std::atomic<int32_t> largest_ = 0;
};

bool fits(const Array& x, const Array& W, const WindowSteps& steps, const Array& y) {
    if (x.rank() != 4 || W.dim(1) != 1 || W.dim(2) != side || W.dim(3) != side || !W.contiguous()) return false;
    if (steps.groups != x.dim(1) || W.dim(0) != x.dim(1) || steps.stride[0] != steps.stride[1] || steps.stride[0] > 2) return false;
    if (steps.dilate[0] != 1 || steps.dilate[1] != 1) return false;
    const auto is_last = [](const Array& a) { return memory_order(a.shape(), a.strides()) == MemoryOrder::channels_last; };
    return is_last(x) && is_last(y);
}

}  // namespace

std::optional<float> convolve_depthwise(const Array& x, const Array& W, const ConvolutionTail& tail, const WindowSteps& steps, const Array& y) {
    if (!are_direct_convolutions_on() || !fits(x, W, steps, y)) return std::nullopt;
    const Sizes sizes{x.dim(0), x.dim(1), x.dim(2), x.dim(3), y.dim(2), y.dim(3), steps.stride[0], steps.pad[0], steps.pad[1]};
    const Array kept = onednn::kept_form(W, onednn::WeightForm::depthwise, onednn::ordered({sizes.channels, taps}),
                                         onednn::ordered({taps, sizes.channels}), [&] { return packed(W); });
    return DepthwiseConvolution(sizes, x.elements<float>(), kept.elements<float>(), tail, y.to_fill<float>()).run();
}

#else

std::optional<float> convolve_depthwise(const Array&, const Array&, const ConvolutionTail&, const WindowSteps&, const Array&) { return std::nullopt; }

#endif

}  // namespace catena
