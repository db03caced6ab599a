#include "runtime/cpu/convolution/winograd/phase_convolution.h"

#include <algorithm>
#include <atomic>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/winograd/phase_weights.h"
#include "runtime/cpu/convolution/winograd/winograd_products.h"
#include "runtime/cpu/convolution/winograd/winograd_sizes.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

using namespace polyphase;
using winograd::Products;

/// A convolution or the gradient of its images, all channels last. Tiles are transformed first;
/// then each unit of work, which has some tiles and a block of result channels, transforms weights,
/// multiplies, and transforms its results in a core's cache. A convolution's products [tiles,
/// depth] * [depth, width] add up the phases; a gradient has a group of products for each phase.
class Convolution {
public:
    Convolution(const Sizes& sizes, bool is_gradient, const float* x, const float* W,
                const float* bias, float* y)
        : s_(sizes), is_gradient_(is_gradient), x_(x), W_(W), bias_(bias), y_(y) {}

    /// True if all of y is finite, and right to the last digits.
    bool run() {
        const int64_t at_once = std::min(
            std::max<int64_t>(
                machine::shared_cache_floats / (groups_ * values * depth_) / part_tiles, 1) *
                part_tiles,
            tiles_);
        const Array transformed = float_memory(parts_of(at_once) * groups_ * part_floats());
        for (int64_t first = 0; first < tiles_; first += at_once)
            run(first, std::min(at_once, tiles_ - first), transformed.to_fill<float>());
        return is_good_;
    }

private:
    /// Tiles that a unit of work has.
    static constexpr int64_t part_tiles = 128;
    static int64_t parts_of(int64_t tiles) { return (tiles + part_tiles - 1) / part_tiles; }
    int64_t part_floats() const { return Transforms::floats_of(part_tiles, depth_); }

    /// Tiles [first, first + count); the transformed ones are [parts, groups, values, tiles,
    /// depth].
    void run(int64_t first, int64_t count, float* inputs) {
        parallel_for(
            count, machine::grain_of_elements(phases * values * (is_gradient_ ? s_.out : s_.in)),
            [&](int64_t begin, int64_t end) {
                winograd::in_turns(begin, end, [&](int64_t from, int64_t until) {
                    if (!(is_gradient_ ? s_.read_gradient_inputs(first + from, first + until, x_)
                                       : s_.read_inputs(first + from, first + until, x_)))
                        is_good_ = false;
                    if (!is_good_) return;
                    for (int64_t t = from; t < until; ++t) {
                        const int64_t part = t / part_tiles,
                                      tiles = std::min(part_tiles, count - part * part_tiles);
                        transform_inputs(
                            first + t, step_of(tiles, depth_),
                            inputs + part * groups_ * part_floats() + t % part_tiles * depth_);
                    }
                });
            });
        if (!is_good_) return;
        const int64_t parts = parts_of(count);
        parallel_for(width_ / block_ * groups_ * parts, 1, [&](int64_t begin, int64_t end) {
            const Array own = float_memory(Transforms::floats_of(depth_, block_) +
                                           Transforms::floats_of(part_tiles, block_));
            float *const weights = own.to_fill<float>(), *const results =
                                                             weights +
                                                             Transforms::floats_of(depth_, block_);
            for (int64_t unit = begin; unit < end; ++unit) {
                const int64_t part = unit % parts, group = unit / parts % groups_,
                              channel = unit / parts / groups_ * block_;
                if (part == 0 || unit == begin) transform_weights(group, channel, weights);
                const int64_t tiles = std::min(part_tiles, count - part * part_tiles);
                Products::find({.m = tiles, .n = block_, .k = depth_, .batch = values, .pad = pad})
                    ->run(inputs + (part * groups_ + group) * part_floats(), weights, results);
                transform_results(first + part * part_tiles, tiles, group, channel, results);
            }
        });
    }

    void transform_inputs(int64_t tile, int64_t value_step, float* to) const {
        for (int64_t phase = 0; phase < phases; ++phase)
            if (is_gradient_)
                Transforms::input(s_.gradient_input(tile, phase), x_, s_.out, value_step,
                                  to + phase * part_floats());
            else
                Transforms::input(s_.input(tile, phase), x_, s_.in, value_step, to + phase * s_.in);
    }

    /// Transforms the weights of a block of result channels: [values, depth, block].
    void transform_weights(int64_t group, int64_t channel, float* to) const {
        const int64_t value_step = step_of(depth_, block_);
        if (!is_gradient_) {
            for (int64_t o = 0; o < block_; o += lanes)
                Transforms::weights(W_ + (channel + o) * s_.in * taps, s_.in * taps, phase_windows,
                                    s_.in * block_, value_step, to + o, {s_.in, taps, block_});
            return;
        }
        for (int64_t o = 0; o < s_.out; ++o)
            Transforms::weights(W_ + (o * s_.in + channel) * taps, taps,
                                {&turned_windows[group], 1}, 0, value_step, to + o * block_,
                                {block_ / lanes, lanes * taps, lanes});
    }

    void transform_results(int64_t first, int64_t count, int64_t group, int64_t channel,
                           const float* from) {
        for (int64_t t = 0; t < count; ++t) {
            const Tile tile =
                is_gradient_ ? s_.gradient_result(first + t, group) : s_.result(first + t);
            if (!Transforms::output(tile.moved(channel), from + t * block_, step_of(count, block_),
                                    block_, bias_ ? bias_ + channel : nullptr, y_))
                is_good_ = false;
        }
    }

    const Sizes& s_;
    const bool is_gradient_;
    const int64_t groups_ = is_gradient_ ? phases : 1,
                  tiles_ = is_gradient_ ? s_.gradient_tiles() : s_.tiles();
    const int64_t depth_ = is_gradient_ ? s_.out : phases * s_.in,
                  width_ = is_gradient_ ? s_.in : s_.out, block_ = block_of(width_);
    const float *const x_, *const W_, *const bias_;
    float* const y_;
    std::atomic<bool> is_good_ = true;
};

Sizes sizes_of(const ConvolutionTask& t) {
    return polyphase::sizes_of(t.x().shape(), t.y().shape(), t.steps);
}

bool run(const ConvolutionTask& t) {
    const Sizes s = sizes_of(t);
    if (t.is(ConvolutionDirection::weights))
        return polyphase::convolve_weights(s, t.a, t.b, t.result);
    const Array from = winograd::channels_last(t.a), to = winograd::channels_last_like(t.result);
    if (!Convolution(s, t.is(ConvolutionDirection::data), from.elements<float>(),
                     t.b.elements<float>(), t.epilogue.bias_elements(), to.to_fill<float>())
             .run())
        return false;
    if (!(to == t.result)) copy_elements(to, t.result);
    return true;
}

bool fits(const ConvolutionTask& t) {
    if (!winograd::is_on() || !t.epilogue.is_plain() ||
        !polyphase::fits(t.x().shape(), t.W().shape(), t.y().shape(), t.steps))
        return false;
    const Sizes s = sizes_of(t);
    return t.is(ConvolutionDirection::data)
               ? is_faster(s, s.gradient_tiles(), phases * (s.in + s.out))
               : is_faster(s, s.tiles(), phases * s.in + s.out);
}

}  // namespace

const ConvolutionWay& phase_way() {
    static constexpr ConvolutionWay way{"winograd by phases", fits, prepare_nothing<run>};
    return way;
}

}  // namespace catena
