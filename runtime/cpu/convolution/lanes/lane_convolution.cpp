#include "runtime/cpu/convolution/lanes/lane_convolution.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/environment.h"
#include "runtime/cpu/convolution/lanes/lane_tiles.h"
#include "runtime/cpu/scratch.h"

namespace catena {
namespace {

using Direction = ConvolutionDirection;
constexpr int64_t lanes = LaneImages::lanes;
/// Limits of a group's images, so that they stay in a core's cache while they are used.
constexpr int64_t most_image_floats = 128 * 1024, most_block_floats = 16 * 1024;

bool is_able() {
#if defined(__x86_64__)
    static const bool able = instruction_set() != InstructionSet::none &&
                             environment::flag("CATENA_LANE_CONVOLUTIONS", true);
    return able;
#else
    return false;
#endif
}

/// Zeros to the right of x that windows of `positions` read.
int64_t right_of(int64_t positions, int64_t stride, int64_t kernel, int64_t left, int64_t width) {
    return std::max<int64_t>((positions - 1) * stride + kernel - left - width, 0);
}

}  // namespace

/// oneDNN puts sixteen output channels (towards the images: sixteen of theirs) into a vector, and
/// loses where their number is no multiple. What lanes lose is the time for packing, where few
/// products follow for each element.
bool is_faster_by_lanes(Direction direction, const LaneSizes& s) {
    if (!is_able() || s.kernel.size() != 2 || s.stride[0] != 1 || s.stride[1] != 1) return false;
    const int64_t taps = s.kernel[0] * s.kernel[1], groups = (s.images + lanes - 1) / lanes;
    const bool has_whole_groups = 10 * s.images >= 9 * lanes * groups;
    if (!has_whole_groups || taps < 9 || std::min(s.in, s.out) > 24 || std::max(s.in, s.out) > 64)
        return false;
    const bool fills_vectors = s.out % lanes == 0;
    switch (direction) {
        case Direction::data:
            return !fills_vectors && s.out <= 24 && (s.out * taps >= 25 || s.channels_last);
        case Direction::weights:
            return s.in % lanes != 0 && s.in * taps >= (fills_vectors ? 100 : 25) &&
                   (!s.channels_last || s.in <= (fills_vectors ? 8 : 16));
        default:
            return !fills_vectors || (s.out == lanes && s.in < lanes && s.width <= 64);
    }
}

LaneConvolution::LaneConvolution(Direction direction, const Array& a, const Array& b,
                                 const Array& result, const WindowSteps& steps)
    : direction_(direction) {
    const Array &x = a, &W = gives_weights() ? result : b, &y = gives_weights() ? b : result;
    const bool turned = direction == Direction::data;
    in_ = W.dim(turned ? 0 : 1), out_ = W.dim(turned ? 1 : 0);
    kernel_rows_ = W.dim(2), kernel_columns_ = W.dim(3);
    stride_rows_ = steps.stride[0], stride_columns_ = steps.stride[1];
    top_ = turned ? kernel_rows_ - 1 - steps.pad[0] : steps.pad[0];
    const int64_t left = turned ? kernel_columns_ - 1 - steps.pad[1] : steps.pad[1];
    x_ = LaneImages(x, left, right_of(y.dim(3), stride_columns_, kernel_columns_, left, x.dim(3)));
    y_ = LaneImages(y);
}

std::optional<LaneConvolution> LaneConvolution::find_possible(Direction direction, const Array& a,
                                                              const Array& b, const Array& result,
                                                              const WindowSteps& steps) {
    if (!is_able() || a.rank() != 4 || steps.groups != 1 || steps.dilate[0] != 1 ||
        steps.dilate[1] != 1)
        return std::nullopt;
    const bool turned = direction == Direction::data;
    if (turned && (steps.stride[0] != 1 || steps.stride[1] != 1 || steps.pad[0] >= b.dim(2) ||
                   steps.pad[1] >= b.dim(3)))
        return std::nullopt;
    const LaneConvolution made(direction, a, b, result, steps);
    const int64_t held =
        made.x_.floats(direction == Direction::weights ? made.x_.rows() : made.kernel_rows_);
    if (held > most_image_floats) return std::nullopt;
    return made;
}

std::optional<LaneConvolution> LaneConvolution::find(Direction direction, const Array& a,
                                                     const Array& b, const Array& result,
                                                     const WindowSteps& steps) {
    std::optional<LaneConvolution> made = find_possible(direction, a, b, result, steps);
    if (!made) return made;
    const LaneImages& y = made->y_;
    const LaneSizes sizes{y.images(),
                          made->in_,
                          made->out_,
                          y.width(),
                          Dims{made->kernel_rows_, made->kernel_columns_},
                          steps.stride,
                          y.channels_last()};
    if (!is_faster_by_lanes(direction, sizes)) made.reset();
    return made;
}

size_t LaneConvolution::scratch_bytes() const {
    return gives_weights() ? products_bytes() : correlation_bytes();
}

bool LaneConvolution::run(const Array& a, const Array& b, const Array& bias, const Array& result,
                          std::span<std::byte> scratch) const {
    if (gives_weights())
        return multiply(a.elements<float>(), b.elements<float>(), result.to_fill<float>(), scratch);
    return correlate(a.elements<float>(), b, bias.defined() ? bias.elements<float>() : nullptr,
                     result.to_fill<float>(), scratch);
}

/// Parts of the rows, so that there is work for all threads and what is packed of x stays in a
/// cache.
int64_t LaneConvolution::bands() const {
    const int64_t threads = thread_count(), groups = y_.groups(), rows = y_.rows();
    const int64_t for_threads = groups % threads == 0 || groups >= 4 * threads ? 1 : threads;
    const int64_t for_cache = (x_.floats(x_.rows()) + most_image_floats - 1) / most_image_floats;
    return std::clamp<int64_t>(std::max(for_threads, for_cache), 1, rows);
}

int64_t LaneConvolution::block_rows() const {
    return std::clamp<int64_t>(most_block_floats / y_.floats(1), 1, y_.rows());
}

int64_t LaneConvolution::first_input(int64_t row) const {
    return std::clamp<int64_t>(row * stride_rows_ - top_, 0, x_.rows());
}
int64_t LaneConvolution::end_input(int64_t row) const {
    return std::clamp<int64_t>(row * stride_rows_ - top_ + kernel_rows_, first_input(row),
                               x_.rows());
}

size_t LaneConvolution::correlation_bytes() const {
    const int64_t bands = this->bands(),
                  workers = std::min<int64_t>(thread_count(), y_.groups() * bands);
    const int64_t x_rows =
        std::min(x_.rows(), ((y_.rows() + bands - 1) / bands - 1) * stride_rows_ + kernel_rows_);
    const size_t own =
        Scratch::rounded(size_t(x_.floats(x_rows) + y_.floats(block_rows())) * sizeof(float));
    return Scratch::rounded(size_t(weights()) * sizeof(float)) + size_t(workers) * own;
}

bool LaneConvolution::correlate(const float* x, const Array& W, const float* bias, float* y,
                                std::span<std::byte> scratch) const {
    const size_t bytes = correlation_bytes(),
                 weight_bytes = Scratch::rounded(size_t(weights()) * sizeof(float));
    const int64_t units = y_.groups() * bands(), workers = std::min<int64_t>(thread_count(), units);
    Scratch memory(scratch, bytes);
    float* const packed = reinterpret_cast<float*>(memory.take(weight_bytes));
    const size_t own = (bytes - weight_bytes) / size_t(workers);
    std::byte* const images = memory.take(own * size_t(workers));
    if (!pack_weights(W.elements<float>(), packed)) return false;
    parallel_for(workers, 1, [&](int64_t begin, int64_t end) {
        for (int64_t w = begin; w < end; ++w)
            for (int64_t u = units * w / workers; u < units * (w + 1) / workers; ++u)
                correlate_band(x, packed, bias, y, u, images + size_t(w) * own);
    });
    return true;
}

/// [in, rows, columns, out]; false where one is not finite.
bool LaneConvolution::pack_weights(const float* W, float* to) const {
    const bool turned = direction_ == Direction::data;
    const int64_t taps = kernel_rows_ * kernel_columns_;
    float infinite = 0;  // NaN once anything is not finite.
    for (int64_t c = 0; c < in_; ++c)
        for (int64_t k = 0; k < taps; ++k)
            for (int64_t o = 0; o < out_; ++o) {
                const float w =
                    turned ? W[(c * out_ + o) * taps + taps - 1 - k] : W[(o * in_ + c) * taps + k];
                infinite += w * 0.0f;
                *to++ = w;
            }
    return infinite == 0;
}

void LaneConvolution::correlate_band(const float* x, const float* W, const float* bias, float* y,
                                     int64_t unit, std::byte* memory) const {
    const int64_t bands = this->bands(), group = unit / bands, band = unit % bands;
    const int64_t begin = y_.rows() * band / bands, end = y_.rows() * (band + 1) / bands;
    const int64_t first = first_input(begin), x_rows = end_input(end - 1) - first;
    float* const inputs = reinterpret_cast<float*>(memory);
    float* const results = inputs + x_.floats(x_rows);
    x_.pack(x, group, first, first + x_rows, inputs);
    for (int64_t block = begin; block < end; block += block_rows()) {
        const int64_t rows = std::min(block_rows(), end - block);
        for (int64_t r = 0; r < rows; ++r)
            correlate_row(inputs - first * x_.row_step(), x_rows, W, bias,
                          results + r * y_.row_step(), rows, block + r);
        y_.unpack(results, group, block, block + rows, y);
    }
}

/// `x` is where row 0 would be, `y` where this row begins.
void LaneConvolution::correlate_row(const float* x, int64_t x_rows, const float* W,
                                    const float* bias, float* y, int64_t y_rows,
                                    int64_t row) const {
#if defined(__x86_64__)
    const int64_t first = first_input(row), skipped = first - (row * stride_rows_ - top_),
                  column = x_.column_step();
    lane_tiles::Correlation tile{.channels = in_,
                                 .rows = end_input(row) - first,
                                 .x_channel = x_.channel_step(x_rows),
                                 .x_row = x_.row_step(),
                                 .x_tap = column,
                                 .x_position = stride_columns_ * column,
                                 .W_channel = kernel_rows_ * kernel_columns_ * out_,
                                 .W_row = kernel_columns_ * out_,
                                 .W_tap = out_,
                                 .y_channel = y_.channel_step(y_rows),
                                 .y_position = y_.column_step()};
    const int64_t wide = out_ % 4 == 0 ? 4 : out_ % 6 == 0 ? 6 : out_ % 3 == 0 ? 3 : 4;
    for (int64_t o = 0, outs; o < out_; o += outs) {
        outs = std::min(wide, out_ - o);
        const int64_t most = lane_tiles::most_positions[size_t(outs)],
                      tiles = (y_.width() + most - 1) / most;
        for (int64_t t = 0; t < tiles; ++t) {
            const int64_t p = y_.width() * t / tiles, end = y_.width() * (t + 1) / tiles;
            // Taps that are beside the images for all of these positions.
            const int64_t from =
                std::clamp<int64_t>(x_.left() - (end - 1) * stride_columns_, 0, kernel_columns_);
            const int64_t to = std::clamp<int64_t>(x_.width() + x_.left() - p * stride_columns_,
                                                   from, kernel_columns_);
            tile.taps = to - from;
            tile.x = x + first * x_.row_step() + (p * stride_columns_ + from) * column;
            tile.W = W + (skipped * kernel_columns_ + from) * out_ + o;
            tile.bias = bias ? bias + o : nullptr;
            tile.y = y + o * tile.y_channel + p * tile.y_position;
            lane_tiles::correlation(outs, end - p)(tile);
        }
    }
#endif
}

namespace {

std::optional<LaneConvolution> found_for(const ConvolutionTask& t) {
    return LaneConvolution::find(t.direction, t.a, t.b, t.result, t.steps);
}

bool fits(const ConvolutionTask& t) { return t.epilogue.is_plain() && found_for(t); }

class PreparedLanes final : public PreparedWay {
public:
    explicit PreparedLanes(const LaneConvolution& lanes) : lanes_(lanes) {}
    bool run(const ConvolutionTask& t) override {
        return lanes_.run(t.a, t.b, t.epilogue.bias, t.result, t.scratch);
    }
    size_t scratch_bytes() const override { return lanes_.scratch_bytes(); }

private:
    const LaneConvolution lanes_;
};

std::unique_ptr<PreparedWay> prepare(const ConvolutionTask& t) {
    return std::make_unique<PreparedLanes>(*found_for(t));
}

}  // namespace

const ConvolutionWay& lane_way() {
    static constexpr ConvolutionWay way{"sixteen images in lanes", fits, prepare};
    return way;
}

}  // namespace catena
