// The weights' gradient of sixteen images side by side.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/lanes/lane_convolution.h"
#include "runtime/cpu/convolution/lanes/lane_tiles.h"
#include "runtime/cpu/scratch.h"

namespace catena {
namespace {

constexpr int64_t lanes = LaneImages::lanes;
constexpr int64_t cache_floats =
    7 * 1024;  ///< The part of a core's first cache that the operands of one sum may take.

/// Channels of gy whose products with one channel of x are summed at a time.
int64_t channels_at_once(int64_t out) { return out % 4 == 0 || out % 3 != 0 ? 4 : 3; }

size_t bytes_of(int64_t floats) { return Scratch::rounded(size_t(floats) * sizeof(float)); }

}  // namespace

int64_t LaneConvolution::parts() const { return std::min<int64_t>(y_.groups(), 16); }

/// Rows of gy that are packed at a time.
int64_t LaneConvolution::gradient_rows() const {
    const int64_t row = (channels_at_once(out_) * y_.width() + x_.floats(1) / lanes / in_) * lanes;
    return std::clamp<int64_t>(cache_floats / row, 1, y_.rows());
}

size_t LaneConvolution::products_bytes() const {
    const int64_t workers = std::min<int64_t>(thread_count(), parts());
    return bytes_of(parts() * weights() * lanes) +
           size_t(workers) * bytes_of(x_.floats(x_.rows()) + y_.floats(gradient_rows()));
}

bool LaneConvolution::multiply(const float* x, const float* gy, float* gW,
                               std::span<std::byte> scratch) const {
    const int64_t parts = this->parts(), workers = std::min<int64_t>(thread_count(), parts),
                  groups = y_.groups();
    const size_t sum_bytes = bytes_of(parts * weights() * lanes), bytes = products_bytes();
    Scratch memory(scratch, bytes);
    float* const sums = reinterpret_cast<float*>(memory.take(sum_bytes));
    const size_t own = (bytes - sum_bytes) / size_t(workers);
    std::byte* const images = memory.take(own * size_t(workers));
    parallel_for(workers, 1, [&](int64_t begin, int64_t end) {
        for (int64_t w = begin; w < end; ++w)
            for (int64_t part = parts * w / workers; part < parts * (w + 1) / workers; ++part) {
                float* const to = sums + part * weights() * lanes;
                std::memset(to, 0, size_t(weights() * lanes) * sizeof(float));
                for (int64_t g = groups * part / parts; g < groups * (part + 1) / parts; ++g)
                    multiply_group(x, gy, g, to,
                                   reinterpret_cast<float*>(images + size_t(w) * own));
            }
    });
    return add_up(sums, gW);
}

void LaneConvolution::multiply_group(const float* x, const float* gy, int64_t group, float* sums,
                                     float* memory) const {
    float* const gradients = memory + x_.floats(x_.rows());
    x_.pack(x, group, 0, x_.rows(), memory);
    for (int64_t begin = 0; begin < y_.rows(); begin += gradient_rows()) {
        const int64_t end = std::min(begin + gradient_rows(), y_.rows());
        y_.pack(gy, group, begin, end, gradients);
        multiply_band(memory, gradients, begin, end, sums);
    }
}

/// Rows [begin, end) of gy. Sums are [in, rows, columns, out], a vector each.
void LaneConvolution::multiply_band(const float* x, const float* gy, int64_t begin, int64_t end,
                                    float* sums) const {
#if defined(__x86_64__)
    const int64_t column = x_.column_step(), channel = x_.channel_step(x_.rows()),
                  gy_channel = y_.channel_step(end - begin);
    lane_tiles::Products tile{.positions = y_.width(),
                              .x_row = stride_rows_ * x_.row_step(),
                              .x_tap = column,
                              .x_position = stride_columns_ * column,
                              .gy_channel = gy_channel,
                              .gy_row = y_.row_step(),
                              .gy_position = y_.column_step(),
                              .sums_tap = out_ * lanes};
    const int64_t wide = channels_at_once(out_);
    for (int64_t o = 0, outs; o < out_; o += outs) {
        outs = std::min(wide, out_ - o);
        for (int64_t c = 0; c < in_; ++c)
            for (int64_t i = 0; i < kernel_rows_; ++i) {
                // Rows whose window has row i inside of x.
                const int64_t missing = top_ - i, last = x_.rows() - 1 + top_ - i;
                const int64_t first =
                    std::max(begin, missing <= 0 ? 0 : (missing + stride_rows_ - 1) / stride_rows_);
                tile.rows = (last < 0 ? 0 : std::min(end, last / stride_rows_ + 1)) - first;
                if (tile.rows <= 0) continue;
                tile.gy = gy + o * gy_channel + (first - begin) * tile.gy_row;
                for (int64_t j = 0, taps; j < kernel_columns_; j += taps) {
                    taps = std::min<int64_t>(lane_tiles::most_taps, kernel_columns_ - j);
                    tile.x = x + c * channel + (first * stride_rows_ + i - top_) * x_.row_step() +
                             j * column;
                    tile.sums =
                        sums + (((c * kernel_rows_ + i) * kernel_columns_ + j) * out_ + o) * lanes;
                    lane_tiles::product(outs, taps)(tile);
                }
            }
    }
#endif
}

/// Adds up the parts, and then the lanes. False where a sum is not finite.
bool LaneConvolution::add_up(const float* sums, float* gW) const {
    const int64_t parts = this->parts(), taps = kernel_rows_ * kernel_columns_, all = weights();
    std::atomic<bool> is_finite{true};
    parallel_for(in_ * taps, 1 + 2'000 / (parts * out_), [&](int64_t begin, int64_t end) {
        float infinite = 0;
        for (int64_t i = begin; i < end; ++i)
            for (int64_t o = 0; o < out_; ++o) {
                float lane[lanes] = {};
                for (int64_t part = 0; part < parts; ++part)
                    for (int64_t l = 0; l < lanes; ++l)
                        lane[l] += sums[(part * all + i * out_ + o) * lanes + l];
                for (int64_t half = lanes / 2; half > 0; half /= 2)
                    for (int64_t l = 0; l < half; ++l) lane[l] += lane[l + half];
                infinite += lane[0] * 0.0f;
                gW[(o * in_ + i / taps) * taps + i % taps] = lane[0];
            }
        if (infinite != 0 || infinite != infinite) is_finite = false;
    });
    return is_finite;
}

}  // namespace catena
