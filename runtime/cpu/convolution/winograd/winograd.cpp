#include "runtime/cpu/convolution/winograd/winograd.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "runtime/core/array/device.h"
#include "runtime/core/array/in_order.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/onednn/onednn.h"
#include "runtime/cpu/onednn/packed.h"
#include "runtime/cpu/convolution/winograd/winograd_blocks.h"
#include "runtime/cpu/convolution/winograd/winograd_products.h"
#include "runtime/cpu/convolution/winograd/winograd_sizes.h"
#include "runtime/cpu/convolution/winograd/winograd_weights.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

using namespace winograd;

constexpr Speed speed{.products_a_second = machine::products_a_second,
                      .bytes_a_second = machine::bytes_a_second,
                      .gain = 0.9};
/// Towards the weights the products' results are written once for all tiles, and images and
/// gradients are both transformed through the shared cache.
constexpr Speed weights_speed{.products_a_second = machine::products_a_second * 11 / 12,
                              .bytes_a_second = machine::bytes_a_second,
                              .gain = 0.8};

/// Weights that do not fit a core's cache are read by one thread each, once for many tiles.
bool are_small(const Sizes& s) { return s.in * s.out < 256 * 256; }

/// The transformed weights, [values, K, N].
Array transform(const float* W, const WeightSteps& steps, int64_t K, int64_t N) {
    const Array made = Array::empty({Dtype::float32, Shape{values, K, N}}, cpu_device());
    float* to = made.to_fill<float>();
    parallel_for(N / lanes, machine::grain_of_elements(values * K),
                 [&](int64_t begin, int64_t end) {
                     for (int64_t n = begin * lanes; n < end * lanes; n += lanes)
                         Transforms::weights(W + n * steps.n, steps.n, steps.turned, K * N, to + n,
                                             {K, steps.k, N});
                 });
    return made;
}

/// The transformed weights in the form that a Convolution wants, kept as long as W does not change.
Array transformed(const Array& W, onednn::WeightForm kind, const WeightSteps& steps,
                  const Sizes& s) {
    const int64_t K = s.in, N = s.out;
    if (are_small(s)) return transformed_blocks(W, kind, steps, K, N);
    return onednn::kept_form(W, kind, onednn::ordered({W.dim(0), W.dim(1), 3, 3}),
                             onednn::ordered({values, K, N}),
                             [&] { return transform(W.elements<float>(), steps, K, N); });
}

/// y = x * U and its epilogue; all channels last.
class Convolution {
public:
    Convolution(const Sizes& sizes, const float* x, const Array& U, const Epilogue& epilogue,
                float* y)
        : s_(sizes),
          x_(x),
          U_(U.elements<float>()),
          bias_(epilogue.bias_elements()),
          tail_(epilogue.tail ? &epilogue.tail->numbers : nullptr),
          statistics_(epilogue.statistics),
          y_(y) {}

    /// `U`: the transformed weights. True if all of y is finite, and right to the last digits.
    bool run() {
        are_small(s_) ? by_tiles() : by_values();
        return is_good_;
    }
    /// The largest magnitude of y where there is a tail.
    float largest() const { return std::bit_cast<float>(largest_.load()); }

private:
    int64_t floats_a_tile() const { return values * (s_.in + s_.out); }
    /// Makes room for the statistics of turns of so many tiles.
    void prepare_statistics(int64_t at_once) {
        if (statistics_)
            statistics_->prepare((s_.tiles() + at_once - 1) / at_once * measured_parts(at_once),
                                 s_.out);
    }

    /// Each thread takes tiles from input to result, so many at once that they stay in its cache.
    /// U: blocks.
    void by_tiles() {
        constexpr int64_t least = 16, most = 64,
                          rows = 8;  // Of a product's tile in registers.
        const int64_t block = block_of(s_.out), blocks = s_.out / block;
        const int64_t wanted =
            std::max(machine::second_cache_floats / floats_a_tile(), (s_.in * s_.out) >> 10);
        const int64_t at_once = std::min(std::clamp(wanted / rows * rows, least, most), s_.tiles());
        prepare_statistics(at_once);
        parallel_for((s_.tiles() + at_once - 1) / at_once, 1, [&](int64_t begin, int64_t end) {
            const Array scratch = Array::empty(
                {Dtype::float32, Shape{Transforms::floats_of(at_once, s_.in) +
                                       blocks * Transforms::floats_of(at_once, block)}},
                cpu_device());
            float *inputs = scratch.to_fill<float>(),
                  *results = inputs + Transforms::floats_of(at_once, s_.in);
            for (int64_t first = begin * at_once; first < std::min(end * at_once, s_.tiles());
                 first += at_once) {
                if (!is_good_) return;
                const int64_t count = std::min(at_once, s_.tiles() - first);
                const auto products = Products::find(
                    {.m = count, .n = block, .k = s_.in, .batch = values, .pad = pad});
                transform_inputs(first, 0, count, step_of(count, s_.in), inputs);
                for (int64_t b = 0; b < blocks; ++b)
                    products->run(inputs, U_ + b * Transforms::floats_of(s_.in, block),
                                  results + b * Transforms::floats_of(count, block));
                s_.read_results(first, first + count, y_);
                for (int64_t t = 0; t < count; ++t)
                    for (int64_t b = 0; b < blocks; ++b)
                        transform_results(
                            first + t, 0, 1, {b * block, block, step_of(count, block)},
                            results + b * Transforms::floats_of(count, block) + t * block);
                if (statistics_)
                    add_statistics(s_, {first, first + count},
                                   first / at_once * measured_parts(at_once), {0, s_.out}, y_,
                                   *statistics_);
            }
        });
    }

    /// Computes value by value: all threads transform tiles, then each multiplies with some of the
    /// weights, then all transform results. U: [values, in, out].
    void by_values() {
        const int64_t at_once =
            std::clamp<int64_t>(machine::shared_cache_floats / floats_a_tile(), 1, s_.tiles());
        prepare_statistics(at_once);
        const Array scratch =
            Array::empty({Dtype::float32, Shape{at_once * floats_a_tile()}}, cpu_device());
        float *inputs = scratch.to_fill<float>(), *results = inputs + values * at_once * s_.in;
        for (int64_t first = 0; first < s_.tiles(); first += at_once) {
            const int64_t count = std::min(at_once, s_.tiles() - first);
            parallel_for(count, machine::grain_of_elements(values * s_.in),
                         [&](int64_t begin, int64_t end) {
                             transform_inputs(first, begin, end, count * s_.in, inputs);
                         });
            if (!is_good_) return;
            const auto products = Products::find({count, s_.out, s_.in, values_a_unit});
            parallel_for(values / values_a_unit, 1, [&](int64_t begin, int64_t end) {
                for (int64_t p = begin * values_a_unit; p < end * values_a_unit; p += values_a_unit)
                    products->run(inputs + p * count * s_.in, U_ + p * s_.in * s_.out,
                                  results + p * count * s_.out);
            });
            parallel_for(
                measured_parts(count), machine::grain_of_elements(values * s_.out * measured_tiles),
                [&](int64_t begin, int64_t end) {
                    for (int64_t part = begin; part < end; ++part) {
                        const int64_t from = part * measured_tiles,
                                      until = std::min(count, from + measured_tiles);
                        s_.read_results(first + from, first + until, y_);
                        transform_results(first, from, until, {0, s_.out, count * s_.out}, results);
                        if (statistics_)
                            add_statistics(s_, {first + from, first + until},
                                           first / at_once * measured_parts(at_once) + part,
                                           {0, s_.out}, y_, *statistics_);
                    }
                });
        }
    }

    /// Channels of results, side by side in matrices.
    struct Channels {
        int64_t first, count, value_step;
    };

    /// Tiles [begin, end) of those from `first` on.
    void transform_inputs(int64_t first, int64_t begin, int64_t end, int64_t value_step,
                          float* to) {
        in_turns(begin, end, [&](int64_t from, int64_t until) {
            if (!s_.read_inputs(first + from, first + until, x_)) is_good_ = false;
            if (!is_good_) return;
            for (int64_t t = from; t < until; ++t)
                Transforms::input(s_.input(first + t), x_, s_.in, value_step, to + t * s_.in);
        });
    }
    void transform_results(int64_t first, int64_t begin, int64_t end, const Channels& c,
                           const float* from) {
        if (tail_) return transform_with_tail(first, begin, end, c, from);
        const float* const bias = bias_ ? bias_ + c.first : nullptr;
        for (int64_t t = begin; t < end; ++t)
            if (!Transforms::output(s_.result(first + t).moved(c.first), from + t * c.count,
                                    c.value_step, c.count, bias, y_))
                is_good_ = false;
    }

    void transform_with_tail(int64_t first, int64_t begin, int64_t end, const Channels& c,
                             const float* from) {
        int32_t largest = 0;
        ConvolutionTail tail = *tail_;
        for (const float** each : {&tail.before, &tail.scale, &tail.shift}) *each += c.first;
        for (int64_t t = begin; t < end; ++t)
            if (!Transforms::output(s_.result(first + t).moved(c.first), from + t * c.count,
                                    c.value_step, c.count, tail, y_, largest))
                is_good_ = false;
        int32_t known = largest_.load();
        while (largest > known && !largest_.compare_exchange_weak(known, largest)) {
        }
    }

    const Sizes& s_;
    const float *const x_, *const U_, *const bias_;
    const ConvolutionTail* const tail_;
    ColumnStatistics* const statistics_;
    float* const y_;
    std::atomic<bool> is_good_ = true;
    std::atomic<int32_t> largest_ = 0;
};

/// What the weights are to a convolution, and to the gradient of its images: that is a convolution
/// of gy with the weights turned around, their last tap first.
struct Weights {
    const Array& W;
    onednn::WeightForm form;
    WeightSteps steps;
};

Weights weights_of(const ConvolutionTask& t, const Sizes& s) {
    if (t.is(ConvolutionDirection::data))
        return {t.b, onednn::WeightForm::turned_tiles, {s.out * 9, 9, true}};
    return {t.b, onednn::WeightForm::tiles, {9, s.in * 9, false}};
}

/// The sizes of the convolution that is computed: for the gradient of the images, from gy to gx.
Sizes sizes_of(const ConvolutionTask& t) {
    if (!t.is(ConvolutionDirection::data))
        return winograd::sizes_of(t.x().shape(), t.W().shape(), t.y().shape(), t.steps);
    const Array &gy = t.a, &W = t.b, &gx = t.result;
    Sizes s = winograd::sizes_of(gy.shape(), Shape{W.dim(1), W.dim(0), 3, 3}, gx.shape(), t.steps);
    s.pad_top = 2 - t.steps.pad[0], s.pad_left = 2 - t.steps.pad[1];
    return s;
}

/// A convolution of channels-last `x` to channels-last `y`.
bool compute(const ConvolutionTask& t, const Sizes& s, const float* x, float* y) {
    const auto [W, form, steps] = weights_of(t, s);
    const Epilogue& e = t.epilogue;
    if (s.has_small_tiles() && !e.tail)
        return convolve_in_blocks(s, x, W, form, steps, e.bias_elements(), y, e.statistics);
    const Array U = transformed(W, form, steps, s);
    Convolution convolution(s, x, U, e, y);
    if (!convolution.run()) return false;
    if (e.tail) e.tail->largest = convolution.largest();
    return true;
}

bool run(const ConvolutionTask& t) {
    const Sizes s = sizes_of(t);
    if (t.is(ConvolutionDirection::weights))
        return winograd::convolve_weights(s, t.a, t.b, t.result);
    const Array from = channels_last(t.a), to = channels_last_like(t.result);
    if (!compute(t, s, from.elements<float>(), to.to_fill<float>())) return false;
    if (!(to == t.result)) copy_elements(to, t.result);
    return true;
}

/// One image alone is inference, whose weights are transformed once for many calls. Sizes decide,
/// not whether they are kept yet: all calls give the same bits.
Speed speed_of(const ConvolutionTask& t, const Sizes& s) {
    if (t.is(ConvolutionDirection::weights)) return weights_speed;
    Speed expected = speed;
    if (t.is_forward() && s.images == 1) expected.weight_passes = 1;
    return expected;
}

bool fits(const ConvolutionTask& t) {
    if (!is_on() || !winograd::fits(t.x().shape(), t.W().shape(), t.y().shape(), t.steps))
        return false;
    if (!t.epilogue.is_plain() && order_of(t.result) != MemoryOrder::channels_last) return false;
    const Sizes s = sizes_of(t);
    return is_faster(s, speed_of(t, s));
}

}  // namespace

const ConvolutionWay& winograd_way() {
    static constexpr ConvolutionWay way{"winograd 4x4", fits, prepare_nothing<run>};
    return way;
}

}  // namespace catena
