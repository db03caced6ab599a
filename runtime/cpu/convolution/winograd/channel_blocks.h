#pragma once

// Convolutions by tiles in blocks of channels, for all sizes of tiles. A block's weights are
// transformed, multiplied with those of all tiles, and its results transformed back, in a core's
// cache. `Transforms` is a TileTransforms of 3x3 weights. `Sizes` has the numbers of channels `in`
// and `out` and of tiles(), the Tile input(index) and result(index), and read_inputs(first, end,
// x), as winograd::Sizes.

#include <algorithm>
#include <atomic>

#include "runtime/core/array/array.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/winograd/tile_transforms.h"
#include "runtime/cpu/convolution/winograd/winograd_products.h"
#include "runtime/cpu/convolution/winograd/winograd_sizes.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/machine.h"

namespace catena::winograd {

/// The places in weights [O, C, 3, 3] of the elements for the products: in-channel k and
/// out-channel n of the convolution that is computed.
struct WeightSteps {
    int64_t k, n;
    bool turned;  ///< Whether the last tap counts as the first.
};

/// The largest block of at most `most` channels that divides them.
constexpr int64_t largest_block(int64_t channels, int64_t most) {
    while (channels % most != 0) most /= 2;
    return most;
}
/// The number of result channels of a block: a panel of tiles in registers.
constexpr int64_t block_of(int64_t channels) { return largest_block(channels, 2 * lanes); }

/// Prefetches the weights of `block` out-channels some in-channels after k, if these are
/// contiguous: the processor does not foresee these steps.
inline void prefetch_weights(const float* W, const WeightSteps& steps, int64_t k, int64_t in,
                             int64_t block) {
    constexpr int64_t ahead = 4;
    if (k + ahead >= in) return;
    const float* const row = W + (k + ahead) * steps.k;
    for (int64_t i = 0; i < block * steps.n; i += 16) __builtin_prefetch(row + i);
}

/// Transforms the weights of out-channels [first, first + count) of a block: [values, in, block].
template <class Transforms>
void transform_block(const float* W, const WeightSteps& steps, int64_t in, int64_t first,
                     int64_t count, int64_t block, float* to) {
    const float* const from = W + first * steps.n;
    const auto transform = [&](int64_t k, int64_t n, const Repeated& times) {
        Transforms::weights(from + k * steps.k + n * steps.n, steps.n, steps.turned,
                            step_of(in, block), to + k * block + n, times);
    };
    // What lies side by side is read so.
    if (steps.n > steps.k) {
        for (int64_t n = 0; n < count; n += lanes) transform(0, n, {in, steps.k, block});
        return;
    }
    for (int64_t k = 0; k < in; ++k) {
        prefetch_weights(from, steps, k, in, count);
        transform(k, 0, {count / lanes, lanes * steps.n, lanes});
    }
}

/// Computes y = x * W + bias, channels last. `kept`: the transformed blocks, or undefined.
/// finish(first, end) is called when the result channels [first, end) are stored. True if all of y
/// is finite, and right to the last digits.
template <class Transforms, class Sizes, class Finish>
bool convolve_blocks(const Sizes& s, const float* x, const float* W, const WeightSteps& steps,
                     const Array& kept, const float* bias, float* y, const Finish& finish) {
    const int64_t tiles = s.tiles(), block = block_of(s.out),
                  block_floats = Transforms::floats_of(s.in, block);
    const Array transformed = float_memory(Transforms::floats_of(tiles, s.in));
    float* const inputs = transformed.to_fill<float>();
    std::atomic<bool> is_good = true;
    parallel_for(tiles, machine::grain_of_elements(Transforms::values * s.in),
                 [&](int64_t begin, int64_t end) {
                     in_turns(begin, end, [&](int64_t from, int64_t until) {
                         if (!s.read_inputs(from, until, x)) is_good = false;
                         for (int64_t t = from; t < until; ++t)
                             Transforms::input(s.input(t), x, s.in, step_of(tiles, s.in),
                                               inputs + t * s.in);
                     });
                 });
    if (!is_good) return false;
    const auto products = Products::find(
        {.m = tiles, .n = block, .k = s.in, .batch = Transforms::values, .pad = pad});
    parallel_for(s.out / block, 1, [&](int64_t begin, int64_t end) {
        const Array own =
            float_memory(Transforms::floats_of(tiles, block) + (kept.defined() ? 0 : block_floats));
        float *const results = own.to_fill<float>(), *const weights =
                                                         results +
                                                         Transforms::floats_of(tiles, block);
        for (int64_t b = begin; b < end; ++b) {
            const int64_t first = b * block;
            if (!kept.defined())
                transform_block<Transforms>(W, steps, s.in, first, block, block, weights);
            products->run(inputs,
                          kept.defined() ? kept.elements<float>() + b * block_floats : weights,
                          results);
            for (int64_t t = 0; t < tiles; ++t)
                if (!Transforms::output(s.result(t).moved(first), results + t * block,
                                        step_of(tiles, block), block, bias ? bias + first : nullptr,
                                        y))
                    is_good = false;
            finish(first, first + block);
        }
    });
    return is_good;
}

/// Computes gW from images `x` and gradients `gy`, channels last: blocks of both are transformed,
/// and each pair of blocks is multiplied and its sums are transformed back. True if all of gW is
/// finite, and right to the last digits.
template <class Transforms, class Sizes>
bool convolve_weight_blocks(const Sizes& s, const float* x, const float* gy, float* gW) {
    const int64_t tiles = s.tiles(), in = largest_block(s.in, 4 * lanes), out = block_of(s.out);
    const int64_t input_floats = Transforms::floats_of(tiles, in),
                  gradient_floats = Transforms::floats_of(tiles, out);
    const Array transformed =
        float_memory(s.in / in * input_floats + s.out / out * gradient_floats);
    float *const inputs = transformed.to_fill<float>(), *const gradients =
                                                            inputs + s.in / in * input_floats;
    std::atomic<bool> is_good = true;
    parallel_for(tiles, machine::grain_of_elements(Transforms::values * (s.in + s.out)),
                 [&](int64_t begin, int64_t end) {
                     in_turns(begin, end, [&](int64_t from, int64_t until) {
                         if (!s.read_inputs(from, until, x)) is_good = false;
                     });
                     for (int64_t t = begin; t < end && is_good; ++t) {
                         for (int64_t b = 0; b < s.in / in; ++b)
                             Transforms::input(s.input(t).moved(b * in), x, in, step_of(tiles, in),
                                               inputs + b * input_floats + t * in);
                         for (int64_t b = 0; b < s.out / out; ++b)
                             Transforms::output_gradient(s.result(t).moved(b * out), gy, out,
                                                         step_of(tiles, out),
                                                         gradients + b * gradient_floats + t * out);
                     }
                 });
    if (!is_good) return false;
    const auto products = Products::find({.m = in,
                                          .n = out,
                                          .k = tiles,
                                          .batch = Transforms::values,
                                          .transposed = true,
                                          .pad = pad});
    parallel_for(s.in / in * (s.out / out), 1, [&](int64_t begin, int64_t end) {
        const Array own = float_memory(Transforms::floats_of(in, out));
        float* const sums = own.to_fill<float>();
        for (int64_t unit = begin; unit < end; ++unit) {
            const int64_t o = unit / (s.in / in), c = unit % (s.in / in);
            products->run(inputs + c * input_floats, gradients + o * gradient_floats, sums);
            for (int64_t j = 0; j < out; j += lanes)
                if (!Transforms::weights_gradient(sums + j, step_of(in, out), s.in * 9,
                                                  gW + ((o * out + j) * s.in + c * in) * 9,
                                                  {in, out, 9}))
                    is_good = false;
        }
    });
    return is_good;
}

}  // namespace catena::winograd
