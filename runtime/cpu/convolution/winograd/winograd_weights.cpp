#include "runtime/cpu/convolution/winograd/winograd_weights.h"

#include <algorithm>
#include <atomic>

#include "runtime/core/array/device.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/winograd/winograd_blocks.h"
#include "runtime/cpu/convolution/winograd/winograd_products.h"
#include "runtime/cpu/machine.h"

namespace catena::winograd {
namespace {

/// The products of all tiles: matrices [C, O], step_of() apart, as a sum over blocks of tiles that
/// stay in the shared cache; undefined where tiles would lose small inputs (even_windows.h).
Array products_of(const Sizes& s, const float* x, const float* gy) {
    const int64_t at_once =
        std::clamp<int64_t>(machine::shared_cache_floats / (values * (s.in + s.out)), 1, s.tiles());
    const Array scratch = Array::empty(
        {Dtype::float32,
         Shape{Transforms::floats_of(at_once, s.in) + Transforms::floats_of(at_once, s.out)}},
        cpu_device());
    float *inputs = scratch.to_fill<float>(),
          *gradients = inputs + Transforms::floats_of(at_once, s.in);
    const Array made =
        Array::empty({Dtype::float32, Shape{Transforms::floats_of(s.in, s.out)}}, cpu_device());
    float* sums = made.to_fill<float>();
    std::atomic<bool> are_even = true;
    for (int64_t first = 0; first < s.tiles(); first += at_once) {
        const int64_t count = std::min(at_once, s.tiles() - first);
        parallel_for(count, machine::grain_of_elements(values * (s.in + s.out)),
                     [&](int64_t begin, int64_t end) {
                         in_turns(begin, end, [&](int64_t from, int64_t until) {
                             if (!s.read_inputs(first + from, first + until, x)) are_even = false;
                             if (!are_even) return;
                             for (int64_t t = from; t < until; ++t)
                                 Transforms::input(s.input(first + t), x, s.in,
                                                   step_of(count, s.in), inputs + t * s.in);
                             s.read_results(first + from, first + until, gy);
                             for (int64_t t = from; t < until; ++t)
                                 Transforms::output_gradient(s.result(first + t), gy, s.out,
                                                             step_of(count, s.out),
                                                             gradients + t * s.out);
                         });
                     });
        if (!are_even) return Array();
        const auto products =
            Products::find({s.in, s.out, count, values_a_unit, true, first > 0, pad});
        parallel_for(values / values_a_unit, 1, [&](int64_t begin, int64_t end) {
            for (int64_t unit = begin; unit < end; ++unit) {
                const int64_t p = unit * values_a_unit;
                products->run(inputs + p * step_of(count, s.in),
                              gradients + p * step_of(count, s.out),
                              sums + p * step_of(s.in, s.out));
            }
        });
    }
    return made;
}

}  // namespace

bool convolve_weights(const Sizes& s, const Array& x, const Array& gy, const Array& gW) {
    const Array images = channels_last(x), gradients = channels_last(gy);
    if (are_weights_for_blocks(s))
        return convolve_weights_in_blocks(s, images.elements<float>(), gradients.elements<float>(),
                                          gW.to_fill<float>());
    const Array sums = products_of(s, images.elements<float>(), gradients.elements<float>());
    if (!sums.defined()) return false;
    const float* from = sums.elements<float>();
    float* to = gW.to_fill<float>();
    std::atomic<bool> is_finite = true;
    parallel_for(s.in, machine::grain_of_elements(values * s.out), [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c)
            if (!Transforms::weights_gradient(from + c * s.out, step_of(s.in, s.out), s.in * 9,
                                              to + c * 9, {s.out / lanes, lanes, lanes * s.in * 9}))
                is_finite = false;
    });
    return is_finite;
}

}  // namespace catena::winograd
