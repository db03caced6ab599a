#include "runtime/core/array/device.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/direct/direct_sizes.h"
#include "runtime/cpu/onednn/packed.h"
#include "runtime/cpu/transpose_lanes.h"
#include "runtime/cpu/machine.h"

#if defined(__x86_64__)

namespace catena::direct {
namespace {

Array packed(const Array& W, const Sizes& s) {
    const int64_t taps = s.taps(), vectors = in_vectors(s.out),
                  window = s.height.kernel * s.width.kernel;
    const Array made = Array::empty({Dtype::float32, Shape{vectors, taps, lanes}}, cpu_device());
    const float* const from = W.elements<float>();
    float* const to = made.to_fill<float>();
    const bool in_order = !s.x_last || window == 1;
    const Panels panels(s);
    parallel_for(panels.count(), machine::grain_of_elements(taps), [&](int64_t begin, int64_t end) {
        for (int64_t panel = begin; panel < end; ++panel) {
            const Range all = panels.vectors(panel);
            const int64_t width = all.size() * lanes;
            for (int64_t v = all.begin; v < all.end; ++v) {
                const int64_t rows = std::min(lanes, s.out - v * lanes);
                const float* const first = from + v * lanes * taps;
                float* const at = to + all.begin * taps * lanes + (v - all.begin) * lanes;
                for (int64_t t = 0; in_order && t < taps; t += lanes)
                    transpose_lanes(first + t, taps, rows,
                                    uint16_t((1u << std::min(lanes, taps - t)) - 1), at + t * width,
                                    width);
                for (int64_t t = 0; !in_order && t < taps; ++t)  // [window, in] from [in, window].
                    for (int64_t c = 0; c < lanes; ++c)
                        at[t * width + c] =
                            c < rows ? first[c * taps + t % s.in * window + t / s.in] : 0.0f;
            }
        }
    });
    return made;
}

}  // namespace

Array packed_weights(const Array& W, const Sizes& s) {
    const auto form = s.x_last ? onednn::WeightForm::direct : onednn::WeightForm::direct_row_major;
    return onednn::kept_form(
        W, form, onednn::ordered({s.out, s.in, s.height.kernel, s.width.kernel}),
        onednn::ordered({in_vectors(s.out), s.taps(), lanes, Panels(s).halves()}),
        [&] { return packed(W, s); });
}

}  // namespace catena::direct

#endif
