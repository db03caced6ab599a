#include "runtime/cpu/convolution/winograd/winograd_blocks.h"

#include "runtime/cpu/machine.h"

namespace catena::winograd {
namespace {

/// The transformed weights of all blocks, side by side.
Array made_blocks(const Array& W, const WeightSteps& steps, int64_t in, int64_t out) {
    const int64_t block = block_of(out), halves = block / lanes,
                  block_floats = Transforms::floats_of(in, block);
    const Array made = float_memory(out / block * block_floats);
    const float* from = W.elements<float>();
    float* blocks = made.to_fill<float>();
    parallel_for(out / lanes, machine::grain_of_elements(values * in),
                 [&](int64_t begin, int64_t end) {
                     for (int64_t n = begin; n < end; ++n)
                         transform_block<Transforms>(
                             from, steps, in, n * lanes, lanes, block,
                             blocks + n / halves * block_floats + n % halves * lanes);
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

Array transformed_blocks(const Array& W, onednn::WeightForm form, const WeightSteps& steps,
                         int64_t in, int64_t out) {
    return onednn::kept_form(W, form, weights_of(W), blocks_of(in, out),
                             [&] { return made_blocks(W, steps, in, out); });
}

bool convolve_in_blocks(const Sizes& s, const float* x, const Array& W, onednn::WeightForm form,
                        const WeightSteps& steps, const float* bias, float* y,
                        ColumnStatistics* statistics) {
    const int64_t tiles = s.tiles();
    const Array kept = onednn::form_if_kept(W, form, weights_of(W), blocks_of(s.in, s.out),
                                            [&] { return made_blocks(W, steps, s.in, s.out); });
    if (statistics) statistics->prepare(measured_parts(tiles), s.out);
    return convolve_blocks<Transforms>(
        s, x, W.elements<float>(), steps, kept, bias, y, [&](int64_t first, int64_t end) {
            if (statistics) add_statistics(s, {0, tiles}, 0, {first, end}, y, *statistics);
        });
}

bool are_weights_for_blocks(const Sizes& s) {
    constexpr int64_t large = 128 * 128;
    return s.in * s.out >= large &&
           Transforms::floats_of(s.tiles(), s.in + s.out) <= machine::shared_cache_floats;
}

bool convolve_weights_in_blocks(const Sizes& s, const float* x, const float* gy, float* gW) {
    return convolve_weight_blocks<Transforms>(s, x, gy, gW);
}

}  // namespace catena::winograd
