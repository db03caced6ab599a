#include "runtime/cpu/convolution/winograd/winograd_blocks.h"

#include <algorithm>
#include <atomic>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/winograd/winograd_products.h"
#include "runtime/cpu/scratch.h"

namespace catena::winograd {
namespace {

/// The largest block of at most `most` that divides the channels.
int64_t largest_block(int64_t channels, int64_t most) {
    int64_t block = most;
    while (channels % block != 0) block /= 2;
    return block;
}

/// At least so many iterations of `work` for a thread.
int64_t grain(int64_t work) { return 1 + 20'000 / work; }

/// The weights of out-channels [first, first + count): [values, in, block].
void transform_block(const float* W, const WeightSteps& steps, int64_t in, int64_t first,
                     int64_t count, int64_t block, float* to) {
    const float* const from = W + first * steps.n;
    const auto transform = [&](int64_t k, int64_t n) {
        transform_weights(from + k * steps.k + n * steps.n, steps.n, steps.turned,
                          step_of(in, block), to + k * block + n);
    };
    if (steps.n > steps.k) {
        for (int64_t n = 0; n < count; n += lanes)
            for (int64_t k = 0; k < in; ++k) transform(k, n);
        return;
    }
    for (int64_t k = 0; k < in; ++k) {
        prefetch_weights(from, steps, k, in, count);
        for (int64_t n = 0; n < count; n += lanes) transform(k, n);
    }
}

/// All blocks side by side.
Array made_blocks(const Array& W, const WeightSteps& steps, int64_t in, int64_t out) {
    const int64_t block = block_of(out), halves = block / lanes;
    const Array made = float_memory(out / block * floats_of(in, block));
    const float* from = W.elements<float>();
    float* blocks = made.to_fill<float>();
    parallel_for(out / lanes, grain(values * in), [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n)
            transform_block(from, steps, in, n * lanes, lanes, block,
                            blocks + n / halves * floats_of(in, block) + n % halves * lanes);
    });
    return made;
}

/// What they are made from and how, for those that are kept.
dnnl::memory::desc weights_of(const Array& W) {
    return onednn::ordered({W.dim(0), W.dim(1), 3, 3});
}
dnnl::memory::desc blocks_of(int64_t in, int64_t out) {
    return onednn::ordered({out / block_of(out), values, in, block_of(out)});
}

}  // namespace

void prefetch_weights(const float* W, const WeightSteps& steps, int64_t k, int64_t in,
                      int64_t block) {
    constexpr int64_t ahead = 4;
    if (k + ahead >= in) return;
    const float* const row = W + (k + ahead) * steps.k;
    for (int64_t i = 0; i < block * steps.n; i += 16) __builtin_prefetch(row + i);
}

int64_t block_of(int64_t channels) { return largest_block(channels, 2 * lanes); }

Tile moved(Tile tile, int64_t channels) {
    tile.first += channels;
    return tile;
}

Array transformed_blocks(const Array& W, onednn::WeightForm form, const WeightSteps& steps,
                         int64_t in, int64_t out) {
    return onednn::kept_form(W, form, weights_of(W), blocks_of(in, out),
                             [&] { return made_blocks(W, steps, in, out); });
}

bool convolve_in_blocks(const Sizes& s, const float* x, const Array& W, onednn::WeightForm form,
                        const WeightSteps& steps, const float* bias, float* y,
                        ColumnStatistics* statistics) {
    const int64_t tiles = s.tiles(), block = block_of(s.out);
    const Array transformed = float_memory(floats_of(tiles, s.in));
    float* const inputs = transformed.to_fill<float>();
    std::atomic<bool> is_good = true;
    parallel_for(tiles, grain(values * s.in), [&](int64_t begin, int64_t end) {
        in_turns(begin, end, [&](int64_t from, int64_t until) {
            if (!s.read_inputs(from, until, x)) is_good = false;
            for (int64_t t = from; t < until; ++t)
                transform_input(s.input(t), x, s.in, step_of(tiles, s.in), inputs + t * s.in);
        });
    });
    if (!is_good) return false;
    const Array kept = onednn::form_if_kept(W, form, weights_of(W), blocks_of(s.in, s.out),
                                            [&] { return made_blocks(W, steps, s.in, s.out); });
    const auto products =
        Products::find({.m = tiles, .n = block, .k = s.in, .batch = values, .pad = pad});
    if (statistics) statistics->prepare(measured_parts(tiles), s.out);
    parallel_for(s.out / block, 1, [&](int64_t begin, int64_t end) {
        const Array own =
            float_memory(floats_of(tiles, block) + (kept.defined() ? 0 : floats_of(s.in, block)));
        float *const results = own.to_fill<float>(), *const weights =
                                                         results + floats_of(tiles, block);
        for (int64_t b = begin; b < end; ++b) {
            if (!kept.defined())
                transform_block(W.elements<float>(), steps, s.in, b * block, block, block, weights);
            products->run(
                inputs,
                kept.defined() ? kept.elements<float>() + b * floats_of(s.in, block) : weights,
                results);
            for (int64_t t = 0; t < tiles; ++t)
                if (!transform_output(moved(s.result(t), b * block), results + t * block,
                                      step_of(tiles, block), block,
                                      bias ? bias + b * block : nullptr, y))
                    is_good = false;
            if (statistics)
                add_statistics(s, {0, tiles}, 0, {b * block, (b + 1) * block}, y, *statistics);
        }
    });
    return is_good;
}

bool are_weights_for_blocks(const Sizes& s) {
    constexpr int64_t cache_floats = 3'000'000, large = 128 * 128;
    return s.in * s.out >= large && floats_of(s.tiles(), s.in + s.out) <= cache_floats;
}

bool convolve_weights_in_blocks(const Sizes& s, const float* x, const float* gy, float* gW) {
    const int64_t tiles = s.tiles(), in = largest_block(s.in, 64), out = block_of(s.out);
    const int64_t input_floats = floats_of(tiles, in), gradient_floats = floats_of(tiles, out);
    const Array transformed =
        float_memory(s.in / in * input_floats + s.out / out * gradient_floats);
    float *const inputs = transformed.to_fill<float>(), *const gradients =
                                                            inputs + s.in / in * input_floats;
    std::atomic<bool> is_good = true;
    parallel_for(tiles, grain(values * (s.in + s.out)), [&](int64_t begin, int64_t end) {
        in_turns(begin, end, [&](int64_t from, int64_t until) {
            if (!s.read_inputs(from, until, x)) is_good = false;
        });
        for (int64_t t = begin; t < end && is_good; ++t) {
            for (int64_t b = 0; b < s.in / in; ++b)
                transform_input(moved(s.input(t), b * in), x, in, step_of(tiles, in),
                                inputs + b * input_floats + t * in);
            for (int64_t b = 0; b < s.out / out; ++b)
                transform_output_gradient(moved(s.result(t), b * out), gy, out, step_of(tiles, out),
                                          gradients + b * gradient_floats + t * out);
        }
    });
    if (!is_good) return false;
    const auto products = Products::find(
        {.m = in, .n = out, .k = tiles, .batch = values, .transposed = true, .pad = pad});
    parallel_for(s.in / in * (s.out / out), 1, [&](int64_t begin, int64_t end) {
        const Array own = float_memory(floats_of(in, out));
        float* const sums = own.to_fill<float>();
        for (int64_t unit = begin; unit < end; ++unit) {
            const int64_t o = unit / (s.in / in), c = unit % (s.in / in);
            products->run(inputs + c * input_floats, gradients + o * gradient_floats, sums);
            for (int64_t j = 0; j < out; j += lanes)
                for (int64_t i = 0; i < in; ++i)
                    if (!transform_weights_gradient(sums + i * out + j, step_of(in, out), s.in * 9,
                                                    gW + ((o * out + j) * s.in + c * in + i) * 9))
                        is_good = false;
        }
    });
    return is_good;
}

}  // namespace catena::winograd
