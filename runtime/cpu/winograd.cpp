#include "runtime/cpu/winograd.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "runtime/core/device.h"
#include "runtime/core/parallel.h"
#include "runtime/cpu/onednn.h"
#include "runtime/cpu/packed.h"
#include "runtime/cpu/winograd_blocks.h"
#include "runtime/cpu/winograd_products.h"
#include "runtime/cpu/winograd_sizes.h"

namespace catena {
namespace {

using namespace winograd;

constexpr Speed speed{.products_a_second = 1.2e11, .bytes_a_second = 2e10, .gain = 0.9};

/// One image alone is inference, whose weights are transformed once for many calls. Sizes decide, not whether they are kept yet:
/// all calls give the same bits.
Speed speed_of(const Sizes& sizes) {
    Speed expected = speed;
    if (sizes.images == 1) expected.weight_passes = 1;
    return expected;
}

/// [values, K, N]
Array transform(const float* W, const WeightSteps& steps, int64_t K, int64_t N) {
    const Array made = Array::empty({Dtype::float32, Shape{values, K, N}}, cpu_device());
    float* to = made.to_fill<float>();
    parallel_for(N / lanes, 1 + 20'000 / (values * K), [&](int64_t begin, int64_t end) {
        for (int64_t n = begin * lanes; n < end * lanes; n += lanes)
            for (int64_t k = 0; k < K; ++k)
                transform_weights(W + steps.first + k * steps.k + n * steps.n, steps.tap, steps.n, K * N, to + k * N + n);
    });
    return made;
}

/// The same, kept as long as W does not change.
Array transformed(const Array& W, onednn::WeightForm kind, const WeightSteps& steps, int64_t K, int64_t N) {
    return onednn::kept_form(W, kind, onednn::ordered({W.dim(0), W.dim(1), 3, 3}), onednn::ordered({values, K, N}),
                             [&] { return transform(W.elements<float>(), steps, K, N); });
}

/// y = x * U + bias, or with a tail; all channels last.
class Convolution {
public:
    Convolution(const Sizes& sizes, const float* x, const Array& U, const float* bias, float* y)
        : s_(sizes), x_(x), U_(U.elements<float>()), bias_(bias), y_(y) {}
    Convolution(const Sizes& sizes, const float* x, const Array& U, const ConvolutionTail& tail, float* y)
        : s_(sizes), x_(x), U_(U.elements<float>()), tail_(&tail), y_(y) {}

    /// True if all of y is finite.
    bool run() {
        // Weights that do not fit a core's cache are read by one thread each, once for many tiles.
        constexpr int64_t small = 256 * 256;
        s_.in * s_.out < small ? by_tiles() : by_values();
        return is_finite_;
    }
    /// With a tail: the largest magnitude of y.
    float largest() const { return std::bit_cast<float>(largest_.load()); }

private:
    int64_t floats_a_tile() const { return values * (s_.in + s_.out); }

    /// Each thread takes tiles from input to result, so many at once that they stay in its cache.
    void by_tiles() {
        constexpr int64_t cache_floats = 160'000, least = 12, most = 64;
        const int64_t wanted = std::max(cache_floats / floats_a_tile(), (s_.in * s_.out) >> 10);
        const int64_t at_once = std::min(std::clamp(wanted, least, most), s_.tiles());
        const auto products = Products::find({at_once, s_.out, s_.in, values});
        parallel_for((s_.tiles() + at_once - 1) / at_once, 1, [&](int64_t begin, int64_t end) {
            const Array scratch = Array::empty({Dtype::float32, Shape{at_once * floats_a_tile()}}, cpu_device());
            float *inputs = scratch.to_fill<float>(), *results = inputs + values * at_once * s_.in;
            for (int64_t first = begin * at_once; first < std::min(end * at_once, s_.tiles()); first += at_once) {
                const int64_t count = std::min(at_once, s_.tiles() - first);
                // Places without a tile, in the last turn: nobody reads what they give.
                if (count < at_once) std::memset(inputs, 0, size_t(values * at_once * s_.in) * sizeof(float));
                transform_inputs(first, 0, count, at_once, inputs);
                products->run(inputs, U_, results);
                transform_results(first, 0, count, at_once, results);
            }
        });
    }

    /// All threads transform tiles, then each multiplies with some of the weights, then all transform results.
    void by_values() {
        constexpr int64_t cache_floats = 3'000'000, worthwhile = 20'000;
        const int64_t at_once = std::clamp<int64_t>(cache_floats / floats_a_tile(), 1, s_.tiles());
        const Array scratch = Array::empty({Dtype::float32, Shape{at_once * floats_a_tile()}}, cpu_device());
        float *inputs = scratch.to_fill<float>(), *results = inputs + values * at_once * s_.in;
        for (int64_t first = 0; first < s_.tiles(); first += at_once) {
            const int64_t count = std::min(at_once, s_.tiles() - first);
            parallel_for(count, 1 + worthwhile / (values * s_.in),
                         [&](int64_t begin, int64_t end) { transform_inputs(first, begin, end, count, inputs); });
            const auto products = Products::find({count, s_.out, s_.in, values_a_unit});
            parallel_for(values / values_a_unit, 1, [&](int64_t begin, int64_t end) {
                for (int64_t p = begin * values_a_unit; p < end * values_a_unit; p += values_a_unit)
                    products->run(inputs + p * count * s_.in, U_ + p * s_.in * s_.out, results + p * count * s_.out);
            });
            parallel_for(count, 1 + worthwhile / (values * s_.out),
                         [&](int64_t begin, int64_t end) { transform_results(first, begin, end, count, results); });
        }
    }

    /// Tiles [begin, end) of the `count` from `first` on.
    void transform_inputs(int64_t first, int64_t begin, int64_t end, int64_t count, float* to) const {
        for (int64_t t = begin; t < end; ++t) transform_input(s_.input(first + t), x_, s_.in, count * s_.in, to + t * s_.in);
    }
    void transform_results(int64_t first, int64_t begin, int64_t end, int64_t count, const float* from) {
        if (tail_) return transform_with_tail(first, begin, end, count, from);
        for (int64_t t = begin; t < end; ++t)
            if (!transform_output(s_.result(first + t), from + t * s_.out, count * s_.out, s_.out, bias_, y_)) is_finite_ = false;
    }

    void transform_with_tail(int64_t first, int64_t begin, int64_t end, int64_t count, const float* from) {
        int32_t largest = 0;
        for (int64_t t = begin; t < end; ++t)
            if (!transform_output(s_.result(first + t), from + t * s_.out, count * s_.out, s_.out, *tail_, y_, largest)) is_finite_ = false;
        int32_t known = largest_.load();
        while (largest > known && !largest_.compare_exchange_weak(known, largest)) {
        }
    }

    const Sizes& s_;
    const float *const x_, *const U_, *const bias_ = nullptr;
    const ConvolutionTail* const tail_ = nullptr;
    float* const y_;
    std::atomic<bool> is_finite_ = true;
    std::atomic<int32_t> largest_ = 0;
};

bool run(const Sizes& s, const Array& x, const Array& W, onednn::WeightForm form, const WeightSteps& steps, const float* bias, const Array& y) {
    const Array from = channels_last(x), to = channels_last_like(y);
    const bool is_finite =
        s.has_small_tiles() ? convolve_in_blocks(s, from.elements<float>(), W, form, steps, bias, to.to_fill<float>())
                         : Convolution(s, from.elements<float>(), transformed(W, form, steps, s.in, s.out), bias, to.to_fill<float>()).run();
    if (!is_finite) return false;
    if (!(to == y)) copy_elements(to, y);
    return true;
}

}  // namespace

bool convolve_by_tiles(const Array& x, const Array& W, const Array& b, const WindowSteps& steps, const Array& y) {
    if (!is_on() || !fits(x.shape(), W.shape(), y.shape(), steps)) return false;
    const Sizes s = sizes_of(x.shape(), W.shape(), y.shape(), steps);
    if (!is_faster(s, speed_of(s))) return false;
    return run(s, x, W, onednn::WeightForm::tiles, {9, s.in * 9, 1, 0}, b.defined() ? b.elements<float>() : nullptr, y);
}

bool convolve_by_tiles(const Array& x, const Array& W, const ConvolutionTail& tail, const WindowSteps& steps, const Array& y, float& largest) {
    if (!is_on() || !fits(x.shape(), W.shape(), y.shape(), steps) || memory_order(y.shape(), y.strides()) != MemoryOrder::channels_last) return false;
    const Sizes s = sizes_of(x.shape(), W.shape(), y.shape(), steps);
    if (!is_faster(s, speed_of(s))) return false;
    const Array U = transformed(W, onednn::WeightForm::tiles, {9, s.in * 9, 1, 0}, s.in, s.out), from = channels_last(x);
    Convolution convolution(s, from.elements<float>(), U, tail, y.to_fill<float>());
    if (!convolution.run()) return false;
    largest = convolution.largest();
    return true;
}

bool convolve_data_by_tiles(const Array& gy, const Array& W, const WindowSteps& steps, const Array& gx) {
    if (!is_on() || !fits(gx.shape(), W.shape(), gy.shape(), steps)) return false;
    // The convolution of gy with the weights turned around: their last tap comes first.
    Sizes s = sizes_of(gy.shape(), Shape{W.dim(1), W.dim(0), 3, 3}, gx.shape(), steps);
    s.pad_top = 2 - steps.pad[0], s.pad_left = 2 - steps.pad[1];
    if (!is_faster(s, speed)) return false;
    return run(s, gy, W, onednn::WeightForm::turned_tiles, {s.out * 9, 9, -1, 8}, nullptr, gx);
}

}  // namespace catena
