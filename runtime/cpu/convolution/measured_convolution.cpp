#include "runtime/cpu/convolution/measured_convolution.h"

#include <algorithm>
#include <atomic>

#include "runtime/core/array/memory_order.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/cpu/convolution/pointwise_convolution.h"
#include "runtime/cpu/convolution/winograd/winograd.h"

namespace catena {
namespace {

std::atomic<int64_t> runs_in_tiles = 0, runs_swept = 0;

bool is_last(const Array& y) {
    return memory_order(y.shape(), y.strides()) == MemoryOrder::channels_last;
}

/// Positions of each image.
int64_t positions_of(const Array& y) { return y.size() / (y.dim(0) * y.dim(1)); }

/// Channels last, y is a matrix with a column for each of them. A few rows at a time: their lines
/// of memory are as many as the processor follows.
void sweep_rows(const Array& y, ColumnStatistics& statistics) {
    constexpr int64_t rows_of_block = 256, at_once = 8;
    const float* const from = y.elements<float>();
    const int64_t channels = y.dim(1), rows = y.size() / channels,
                  blocks = (rows + rows_of_block - 1) / rows_of_block;
    statistics.prepare(blocks, channels);
    parallel_for(blocks, 1 + 20'000 / (rows_of_block * channels), [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
            const int64_t first = block * rows_of_block,
                          last = std::min(rows, first + rows_of_block);
            for (int64_t row = first; row < last; row += at_once)
                statistics.add(block,
                               {from + row * channels, std::min(at_once, last - row), channels},
                               {0, channels}, row == first);
        }
    });
}

/// Row-major, a channel has its positions side by side in each image.
void sweep_lines(const Array& y, ColumnStatistics& statistics) {
    constexpr int64_t longest = 1024;
    const float* const from = y.elements<float>();
    const int64_t channels = y.dim(1), positions = positions_of(y),
                  parts = (positions + longest - 1) / longest;
    statistics.prepare(y.dim(0) * parts, channels);
    parallel_for(y.dim(0) * channels, 1 + 20'000 / positions, [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; ++line)
            for (int64_t part = 0; part < parts; ++part)
                statistics.add_line(line / channels * parts + part, line % channels,
                                    from + line * positions + part * longest,
                                    std::min(longest, positions - part * longest));
    });
}

/// By their definition, for results that are not all finite.
void define(const Array& y, float* sums, float* squares) {
    const float* const from = y.elements<float>();
    const int64_t channels = y.dim(1), positions = positions_of(y), images = y.dim(0),
                  step = is_last(y) ? channels : 1;
    const auto channel = [&](int64_t c) {
        const auto for_all = [&](auto&& f) {
            for (int64_t n = 0; n < images; ++n) {
                const float* const image =
                    from + n * channels * positions + (is_last(y) ? c : c * positions);
                for (int64_t p = 0; p < positions; ++p) f(image[p * step]);
            }
        };
        double sum = 0, square = 0;
        for_all([&](float v) { sum += double(v); });
        const double mean = double(float(sum)) / double(images * positions);
        for_all([&](float v) { square += (double(v) - mean) * (double(v) - mean); });
        sums[c] = float(sum);
        squares[c] = float(square);
    };
    parallel_for(channels, 1 + 20'000 / (images * positions), [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) channel(c);
    });
}

}  // namespace

MeasuredRuns measured_runs() { return {runs_in_tiles, runs_swept}; }

bool MeasuredConvolution::run_in_tiles(const Array& x, const Array& W, const Array& y) {
    return is_last(y) && (convolve_as_product(x, W, steps_, y, statistics_) ||
                          convolve_by_tiles(x, W, steps_, y, statistics_));
}

void MeasuredConvolution::run(const Array& x, const Array& W, const Array& y, const Array& sums,
                              const Array& squares, std::span<std::byte> scratch) {
    float *const to_sums = sums.to_fill<float>(), *const to_squares = squares.to_fill<float>();
    if (y.size() == 0) {
        std::fill_n(to_sums, sums.size(), 0.0f);
        std::fill_n(to_squares, squares.size(), 0.0f);
        return;
    }
    const bool takes_floats = is_float_convolution(ConvolutionDirection::forward, x, W, Array(), y);
    if (takes_floats && run_in_tiles(x, W, y)) {
        ++runs_in_tiles;
    } else {
        ++runs_swept;
        if (takes_floats)
            convolution_.run(x, W, Array(), y, scratch);
        else
            convolve(x, W, Array(), steps_, y);
        is_last(y) ? sweep_rows(y, statistics_) : sweep_lines(y, statistics_);
    }
    if (!statistics_.finish(to_sums, to_squares)) define(y, to_sums, to_squares);
    statistics_.release();
}

}  // namespace catena
