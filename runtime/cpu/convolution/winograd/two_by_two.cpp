#include "runtime/cpu/convolution/winograd/two_by_two.h"

#include <algorithm>
#include <atomic>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/winograd/two_by_two_transforms.h"
#include "runtime/cpu/convolution/winograd/winograd_blocks.h"
#include "runtime/cpu/convolution/winograd/winograd_products.h"
#include "runtime/cpu/convolution/winograd/winograd_sizes.h"
#include "runtime/cpu/scratch.h"

namespace catena {
namespace {

using namespace two_by_two;
using winograd::block_of, winograd::Products, winograd::WeightSteps;

/// Floats between two of the 9 matrices: one step apart that is a power of two, they would share a
/// few lines of the cache.
constexpr int64_t pad = lanes;
constexpr int64_t step_of(int64_t rows, int64_t columns) { return rows * columns + pad; }
constexpr int64_t floats_of(int64_t rows, int64_t columns) {
    return values * step_of(rows, columns);
}

/// At least so many iterations of `work` for a thread.
int64_t grain(int64_t work) { return 1 + 20'000 / work; }

bool is_two_by_two(const Shape& shape) {
    return shape.rank() == 4 && shape[2] == 2 && shape[3] == 2 && shape[1] % lanes == 0;
}

/// Whether they can be computed so, and enough images use each of the transformed weights, but not
/// too many for the shared cache.
bool fits(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps) {
    constexpr int64_t least = 16, cache_floats = 3'000'000;
    if (!winograd::is_on() || !is_two_by_two(x) || !is_two_by_two(y) || W[2] != 3 || W[3] != 3 ||
        steps.groups != 1)
        return false;
    for (int d = 0; d < 2; ++d)
        if (steps.stride[d] != 1 || steps.dilate[d] != 1 || steps.pad[d] != 1) return false;
    return x[0] >= least && values * x[0] * (x[1] + y[1]) <= cache_floats;
}

/// The weights of out-channels [first, first + block): [values, in, block].
void transform_block(const float* W, const WeightSteps& steps, int64_t in, int64_t first,
                     int64_t block, float* to) {
    const auto transform = [&](int64_t k, int64_t n) {
        transform_weights(W + k * steps.k + (first + n) * steps.n, steps.n, steps.turned,
                          step_of(in, block), to + k * block + n);
    };
    // What lies side by side is read so.
    if (steps.n > steps.k) {
        for (int64_t n = 0; n < block; n += lanes)
            for (int64_t k = 0; k < in; ++k) transform(k, n);
        return;
    }
    for (int64_t k = 0; k < in; ++k) {
        winograd::prefetch_weights(W + first * steps.n, steps, k, in, block);
        for (int64_t n = 0; n < block; n += lanes) transform(k, n);
    }
}

/// y = x * W + bias of images [images, 2, 2, channels], `in` and `out` channels. True if all of y
/// is finite.
bool convolve(int64_t images, int64_t in, int64_t out, const float* x, const float* W,
              const WeightSteps& steps, const float* bias, float* y) {
    const int64_t block = block_of(out);
    const Array transformed = float_memory(floats_of(images, in));
    float* const inputs = transformed.to_fill<float>();
    parallel_for(images, grain(values * in), [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n)
            transform_image(x + n * positions * in, in, in, step_of(images, in), inputs + n * in);
    });
    const auto products =
        Products::find({.m = images, .n = block, .k = in, .batch = values, .pad = pad});
    std::atomic<bool> is_finite = true;
    parallel_for(out / block, 1, [&](int64_t begin, int64_t end) {
        const Array own = float_memory(floats_of(images, block) + floats_of(in, block));
        float *const results = own.to_fill<float>(), *const weights =
                                                         results + floats_of(images, block);
        for (int64_t o = begin * block; o < end * block; o += block) {
            transform_block(W, steps, in, o, block, weights);
            products->run(inputs, weights, results);
            for (int64_t n = 0; n < images; ++n)
                if (!transform_result(results + n * block, step_of(images, block), block,
                                      bias ? bias + o : nullptr, out, y + n * positions * out + o))
                    is_finite = false;
        }
    });
    return is_finite;
}

/// gW of images and gradients [images, 2, 2, channels]. True if all of it is finite.
bool convolve_weights(int64_t images, int64_t in, int64_t out, const float* x, const float* gy,
                      float* gW) {
    const int64_t width = block_of(out), height = in % (4 * lanes) == 0 ? 4 * lanes : lanes;
    const Array transformed = float_memory(in / height * floats_of(images, height) +
                                           out / width * floats_of(images, width));
    float *const inputs = transformed.to_fill<float>(), *const gradients =
                                                            inputs +
                                                            in / height * floats_of(images, height);
    parallel_for(images, grain(values * (in + out)), [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n) {
            for (int64_t c = 0; c < in; c += height)
                transform_image(x + n * positions * in + c, in, height, step_of(images, height),
                                inputs + c / height * floats_of(images, height) + n * height);
            for (int64_t o = 0; o < out; o += width)
                transform_result_gradient(
                    gy + n * positions * out + o, out, width, step_of(images, width),
                    gradients + o / width * floats_of(images, width) + n * width);
        }
    });
    const auto products = Products::find(
        {.m = height, .n = width, .k = images, .batch = values, .transposed = true, .pad = pad});
    std::atomic<bool> is_finite = true;
    parallel_for(in / height * (out / width), 1, [&](int64_t begin, int64_t end) {
        const Array own = float_memory(floats_of(height, width));
        float* const sums = own.to_fill<float>();
        for (int64_t unit = begin; unit < end; ++unit) {
            const int64_t o = unit / (in / height), c = unit % (in / height);
            products->run(inputs + c * floats_of(images, height),
                          gradients + o * floats_of(images, width), sums);
            for (int64_t j = 0; j < width; j += lanes)
                for (int64_t i = 0; i < height; ++i)
                    if (!transform_weights_gradient(
                            sums + i * width + j, step_of(height, width), in * 9,
                            gW + ((o * width + j) * in + c * height + i) * 9))
                        is_finite = false;
        }
    });
    return is_finite;
}

bool run(const ConvolutionTask& t) {
    const Array a = winograd::channels_last(t.a);
    const float* const from = a.elements<float>();
    const int64_t images = a.dim(0), channels = t.x().dim(1);
    if (t.is(ConvolutionDirection::weights)) {
        const Array gy = winograd::channels_last(t.b);
        return convolve_weights(images, channels, gy.dim(1), from, gy.elements<float>(),
                                t.result.to_fill<float>());
    }
    const Array to = winograd::channels_last_like(t.result);
    // Towards the images their last tap comes first.
    const WeightSteps steps =
        t.is_forward() ? WeightSteps{9, channels * 9, false} : WeightSteps{channels * 9, 9, true};
    if (!convolve(images, a.dim(1), to.dim(1), from, t.b.elements<float>(), steps,
                  t.epilogue.bias_elements(), to.to_fill<float>()))
        return false;
    if (!(to == t.result)) copy_elements(to, t.result);
    return true;
}

bool fits(const ConvolutionTask& t) {
    return t.epilogue.is_plain() && fits(t.x().shape(), t.W().shape(), t.y().shape(), t.steps);
}

}  // namespace

const ConvolutionWay& two_by_two_way() {
    static constexpr ConvolutionWay way{"winograd 2x2", fits, prepare_nothing<run>};
    return way;
}

}  // namespace catena
