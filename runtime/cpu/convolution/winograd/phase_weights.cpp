#include "runtime/cpu/convolution/winograd/phase_weights.h"

#include <algorithm>
#include <atomic>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/winograd/winograd_products.h"
#include "runtime/cpu/convolution/winograd/winograd_sizes.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/machine.h"

namespace catena::polyphase {
namespace {

using winograd::Products;

/// The rows of a block of sums: all phases of some channels of the images, so that all taps are
/// there.
constexpr int64_t rows = phases * lanes;

/// Tiles are transformed into blocks of channels; then each unit of work, which is a block of
/// either, multiplies and transforms its sums back. Where not all tiles fit the shared cache, units
/// add to their sums.
class WeightsGradient {
public:
    WeightsGradient(const Sizes& sizes, const float* x, const float* gy, float* gW)
        : s_(sizes), x_(x), gy_(gy), gW_(gW) {}

    /// True if all of gW is finite, and right to the last digits.
    bool run() {
        const int64_t at_once = std::clamp<int64_t>(
            machine::shared_cache_floats / (values * (phases * s_.in + s_.out)), 1, s_.tiles());
        const int64_t input_floats = s_.in / lanes * Transforms::floats_of(at_once, rows);
        const Array transformed =
            float_memory(input_floats + s_.out / block_ * Transforms::floats_of(at_once, block_));
        const Array sums = at_once < s_.tiles()
                               ? float_memory(units() * Transforms::floats_of(rows, block_))
                               : Array();
        float* const inputs = transformed.to_fill<float>();
        for (int64_t first = 0; first < s_.tiles(); first += at_once)
            run(first, std::min(at_once, s_.tiles() - first), inputs, inputs + input_floats,
                sums.defined() ? sums.to_fill<float>() : nullptr);
        return is_good_;
    }

private:
    int64_t units() const { return s_.in / lanes * (s_.out / block_); }

    void run(int64_t first, int64_t count, float* inputs, float* gradients, float* sums) {
        parallel_for(count, machine::grain_of_elements(values * (phases * s_.in + s_.out)),
                     [&](int64_t begin, int64_t end) {
                         winograd::in_turns(begin, end, [&](int64_t from, int64_t until) {
                             if (!s_.read_inputs(first + from, first + until, x_)) is_good_ = false;
                             if (!is_good_) return;
                             for (int64_t t = from; t < until; ++t)
                                 transform(first, t, count, inputs, gradients);
                         });
                     });
        if (!is_good_) return;
        const bool is_last = first + count == s_.tiles();
        const auto products = Products::find({.m = rows,
                                              .n = block_,
                                              .k = count,
                                              .batch = values,
                                              .transposed = true,
                                              .adds = first > 0,
                                              .pad = pad});
        parallel_for(units(), 1, [&](int64_t begin, int64_t end) {
            const Array own = sums ? Array() : float_memory(Transforms::floats_of(rows, block_));
            for (int64_t unit = begin; unit < end; ++unit) {
                const int64_t o = unit / (s_.in / lanes), c = unit % (s_.in / lanes);
                float* const to =
                    sums ? sums + unit * Transforms::floats_of(rows, block_) : own.to_fill<float>();
                products->run(inputs + c * Transforms::floats_of(count, rows),
                              gradients + o * Transforms::floats_of(count, block_), to);
                if (is_last) transform_sums(c * lanes, o * block_, to);
            }
        });
    }

    /// Transforms tile first + t: inputs [in / 16, values, count, phases, 16] and gradients [out /
    /// block, values, count, block].
    void transform(int64_t first, int64_t t, int64_t count, float* inputs, float* gradients) const {
        for (int64_t phase = 0; phase < phases; ++phase) {
            const Tile tile = s_.input(first + t, phase);
            for (int64_t c = 0; c < s_.in; c += lanes)
                Transforms::input(tile.moved(c), x_, lanes, step_of(count, rows),
                                  inputs + c / lanes * Transforms::floats_of(count, rows) +
                                      t * rows + phase * lanes);
        }
        const Tile tile = s_.result(first + t);
        for (int64_t o = 0; o < s_.out; o += block_)
            Transforms::output_gradient(
                tile.moved(o), gy_, block_, step_of(count, block_),
                gradients + o / block_ * Transforms::floats_of(count, block_) + t * block_);
    }

    /// Sums of in-channels c and out-channels o: [values, phases, 16, block].
    void transform_sums(int64_t c, int64_t o, const float* sums) {
        for (int64_t j = 0; j < block_; j += lanes)
            if (!Transforms::weights_gradient(
                    sums + j, phase_windows, lanes * block_, step_of(rows, block_), s_.in * taps,
                    gW_ + ((o + j) * s_.in + c) * taps, {lanes, block_, taps}))
                is_good_ = false;
    }

    const Sizes& s_;
    const int64_t block_ = block_of(s_.out);
    const float *const x_, *const gy_;
    float* const gW_;
    std::atomic<bool> is_good_ = true;
};

}  // namespace

bool convolve_weights(const Sizes& s, const Array& x, const Array& gy, const Array& gW) {
    const Array images = winograd::channels_last(x), gradients = winograd::channels_last(gy);
    return WeightsGradient(s, images.elements<float>(), gradients.elements<float>(),
                           gW.to_fill<float>())
        .run();
}

}  // namespace catena::polyphase
