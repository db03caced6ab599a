#include "runtime/cpu/convolution/measured_convolution.h"

#include <algorithm>
#include <atomic>

#include "runtime/core/array/in_order.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/cpu/convolution/epilogue_pass.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

std::atomic<int64_t> runs_in_tiles = 0, runs_swept = 0;

/// Positions of each image.
int64_t positions_of(const Array& y) { return y.size() / (y.dim(0) * y.dim(1)); }

/// Computes the statistics by their definition, for results that are not all finite.
void define(const Array& y, float* sums, float* squares) {
    const float* const from = y.elements<float>();
    const int64_t channels = y.dim(1), positions = positions_of(y), images = y.dim(0),
                  step = lies_channels_last(y) ? channels : 1;
    const auto channel = [&](int64_t c) {
        const auto for_all = [&](auto&& f) {
            for (int64_t n = 0; n < images; ++n) {
                const float* const image =
                    from + n * channels * positions + (lies_channels_last(y) ? c : c * positions);
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
    parallel_for(channels, machine::grain_of_elements(images * positions),
                 [&](int64_t begin, int64_t end) {
                     for (int64_t c = begin; c < end; ++c) channel(c);
                 });
}

}  // namespace

MeasuredRuns measured_runs() { return {runs_in_tiles, runs_swept}; }

void MeasuredConvolution::run(const Array& x, const Array& W, const Array& y, const Array& sums,
                              const Array& squares, std::span<std::byte> scratch) {
    float *const to_sums = sums.to_fill<float>(), *const to_squares = squares.to_fill<float>();
    if (y.size() == 0) {
        std::fill_n(to_sums, sums.size(), 0.0f);
        std::fill_n(to_squares, squares.size(), 0.0f);
        return;
    }
    const Epilogue epilogue{.bias = {}, .statistics = &statistics_};
    bool in_pass = true;
    if (is_float_convolution(ConvolutionDirection::forward, x, W, Array(), y)) {
        in_pass =
            convolution_.run({ConvolutionDirection::forward, steps_, x, W, y, epilogue, scratch})
                .in_pass;
    } else {
        convolve(x, W, Array(), steps_, y);
        apply_epilogue(epilogue, y);
    }
    ++(in_pass ? runs_swept : runs_in_tiles);
    if (!statistics_.finish(to_sums, to_squares)) define(y, to_sums, to_squares);
    statistics_.release();
}

}  // namespace catena
