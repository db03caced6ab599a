#include "runtime/cpu/convolution/winograd/two_by_two_transforms.h"

#include "runtime/cpu/convolution/winograd/winograd_lanes.h"

namespace catena::two_by_two {
namespace {

using winograd::both_sides, winograd::Column, winograd::is_finite, winograd::Lanes, winograd::load_nine, winograd::store, winograd::store_nine, winograd::V;

// One side of each transform.

CATENA_INLINE Column<3> image_side(const Column<2>& x) { return {x[1], x[0] + x[1], x[0]}; }
CATENA_INLINE Column<3> weights_side(const Column<3>& w) { return {w[2] - w[1], w[1], w[1] - w[0]}; }
CATENA_INLINE Column<2> result_side(const Column<3>& m) { return {m[0] + m[1], m[1] - m[2]}; }
CATENA_INLINE Column<3> result_gradient_side(const Column<2>& g) { return {g[0], g[0] + g[1], -g[1]}; }
CATENA_INLINE Column<3> weights_gradient_side(const Column<3>& m) { return {-m[2], m[1] + m[2] - m[0], m[0]}; }

/// Loads and stores of vectors, position by position and value by value.
struct From {
    const float* from;
    int64_t row, step;
    CATENA_INLINE Lanes operator()(size_t i, size_t j) const { return V::load(from + (int64_t(i) * row + int64_t(j)) * step); }
};
struct To {
    float* to;
    int64_t step;
    CATENA_INLINE void operator()(size_t i, size_t j, Lanes v) const { store(to + int64_t(i * 3 + j) * step, v); }
};

}  // namespace

CATENA_VECTOR_CODE void transform_image(const float* x, int64_t channels, int64_t count, int64_t value_step, float* to) {
    for (int64_t c = 0; c < count; c += lanes)
        both_sides<2, 3>([](const auto& d) __attribute__((always_inline)) { return image_side(d); }, From{x + c, 2, channels}, To{to + c, value_step});
}

CATENA_VECTOR_CODE bool transform_result(const float* from, int64_t value_step, int64_t count, const float* bias, int64_t channels, float* y) {
    Lanes zero{};
    for (int64_t c = 0; c < count; c += lanes) {
        const Lanes shift = bias ? V::load(bias + c) : Lanes{};
        both_sides<3, 2>([](const auto& m) __attribute__((always_inline)) { return result_side(m); }, From{from + c, 3, value_step},
                         [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                             v += shift;
                             zero += v * 0.0f;
                             store(y + int64_t(i * 2 + j) * channels + c, v);
                         });
    }
    return is_finite(zero);
}

CATENA_VECTOR_CODE void transform_result_gradient(const float* gy, int64_t channels, int64_t count, int64_t value_step, float* to) {
    for (int64_t c = 0; c < count; c += lanes)
        both_sides<2, 3>([](const auto& g) __attribute__((always_inline)) { return result_gradient_side(g); }, From{gy + c, 2, channels},
                         To{to + c, value_step});
}

CATENA_VECTOR_CODE void transform_weights(const float* w, int64_t lane_step, bool turned, int64_t value_step, float* to) {
    Lanes taps[9];
    load_nine(w, lane_step, taps);
    if (turned)
        for (size_t i = 0; i < 4; ++i) std::swap(taps[i], taps[8 - i]);
    both_sides<3, 3>([](const auto& g) __attribute__((always_inline)) { return weights_side(g); },
                     [&](size_t i, size_t j) __attribute__((always_inline)) { return taps[i * 3 + j]; }, To{to, value_step});
}

CATENA_VECTOR_CODE bool transform_weights_gradient(const float* from, int64_t value_step, int64_t lane_step, float* gw) {
    Lanes zero{}, taps[9];
    both_sides<3, 3>([](const auto& m) __attribute__((always_inline)) { return weights_gradient_side(m); }, From{from, 3, value_step},
                     [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                         zero += v * 0.0f;
                         taps[i * 3 + j] = v;
                     });
    store_nine(taps, lane_step, gw);
    return is_finite(zero);
}

}  // namespace catena::two_by_two
