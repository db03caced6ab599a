#include "runtime/cpu/convolution/tail_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/core/array/device.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/simd/vector_widths.h"
#include "runtime/cpu/onednn/packed.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

/// What is kept: the bounds, the scale that the elements were made with, the elements unless W
/// itself has them.
struct Kept {
    const Array memory;
    const int64_t channels;
    const bool is_scaled;

    double* bounds() const { return static_cast<double*>(const_cast<void*>(memory.elements())); }
    float* scale() const { return reinterpret_cast<float*>(bounds() + 2); }
    std::byte* elements() const {
        return reinterpret_cast<std::byte*>(bounds()) + header_bytes(channels, is_scaled);
    }

    static size_t header_bytes(int64_t channels, bool is_scaled) {
        return Scratch::rounded(2 * sizeof(double) +
                                (is_scaled ? size_t(channels) * sizeof(float) : 0));
    }
};

Array memory_of(size_t bytes) {
    return Array::empty({Dtype::float32, Shape{int64_t(bytes / sizeof(float))}}, cpu_device());
}

/// The sum in any order: the bounds are for sums far from overflow.
template <int bytes>
CATENA_INLINE float sum_of_magnitudes_of(const float* W, int64_t count) {
    return sum_of<bytes>(W, count,
                         [](auto w) __attribute__((always_inline)) { return w < 0 ? -w : w; });
}
CATENA_VECTOR_WIDTHS(float, sum_of_magnitudes, (const float* W, int64_t count), (W, count))

/// Adds the bounds of the weights, which are not finite if a weight is not.
void add_bounds(const float* W, int64_t channels, int64_t products, const float* scale,
                double* bounds) {
    bounds[0] = bounds[1] = 0;
    for (int64_t channel = 0; channel < channels; ++channel) {
        const double sum = sum_of_magnitudes(W + channel * products, products);
        const double scaled = scale ? sum * std::abs(double(scale[channel])) : sum;
        // Comparisons with NaN are false.
        bounds[0] = sum <= bounds[0] ? bounds[0] : sum;
        bounds[1] = scaled <= bounds[1] ? bounds[1] : scaled;
        if (std::isnan(bounds[0] + bounds[1])) return;
    }
}

Array scaled(const Array& W, int64_t channels, int64_t products, const float* scale) {
    const Array made = memory_of(size_t(W.size()) * sizeof(float));
    const float* const from = W.elements<float>();
    float* const to = made.to_fill<float>();
    parallel_for(channels, machine::grain_of_elements(products), [&](int64_t begin, int64_t end) {
        for (int64_t channel = begin; channel < end; ++channel)
            for (int64_t k = channel * products; k < (channel + 1) * products; ++k)
                to[k] = from[k] * scale[channel];
    });
    return made;
}

}  // namespace

TailWeights TailWeights::find(ConvolutionCall& call, const ConvolutionPrimitive& primitive,
                              const Array& W, const float* scale) {
    const onednn::Tensor& layout = primitive.b;
    const int64_t channels = W.dim(0), products = W.size() / channels;
    const bool has_elements = layout.is_converted() || scale;
    const auto derive = [&] {
        const size_t bytes =
            has_elements ? std::max(layout.theirs().get_size(), size_t(W.size()) * sizeof(float))
                         : 0;
        const Kept kept{memory_of(Kept::header_bytes(channels, scale) + Scratch::rounded(bytes)),
                        channels, scale != nullptr};
        add_bounds(W.elements<float>(), channels, products, scale, kept.bounds());
        if (scale) std::memcpy(kept.scale(), scale, size_t(channels) * sizeof(float));
        if (!has_elements) return kept.memory;
        const Array from = scale ? scaled(W, channels, products, scale) : W;
        const void* const opened = call.open_b(from.elements(), kept.elements());
        if (opened != kept.elements())
            std::memcpy(kept.elements(), opened, size_t(W.size()) * sizeof(float));
        return kept.memory;
    };
    const auto form = scale ? onednn::WeightForm::scaled : onednn::WeightForm::bounded;
    Array memory = onednn::form_if_kept(W, form, layout.ours(), layout.theirs(),
                                        [&derive] { return derive(); });
    if (!memory.defined() && !scale) return {};
    const auto is_for_others = [&] {
        return scale && std::memcmp(Kept{memory, channels, true}.scale(), scale,
                                    size_t(channels) * sizeof(float)) != 0;
    };
    if (!memory.defined() || is_for_others()) memory = derive();
    const Kept kept{memory, channels, scale != nullptr};
    const float* const elements =
        has_elements ? reinterpret_cast<const float*>(kept.elements()) : W.elements<float>();
    return {elements, kept.bounds()[0], kept.bounds()[1], memory};
}

}  // namespace catena
