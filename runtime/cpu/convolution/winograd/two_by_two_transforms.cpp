#include "runtime/cpu/convolution/winograd/two_by_two_transforms.h"

#include "runtime/cpu/convolution/winograd/winograd_lanes.h"

namespace catena::two_by_two {
namespace {

using winograd::both_sides, winograd::Column, winograd::is_finite, winograd::lanes_of,
    winograd::LanesOf, winograd::load_nine, winograd::store, winograd::store_nine;

// One side of each transform.

template <class Lanes>
CATENA_INLINE Column<Lanes, 3> image_side(const Column<Lanes, 2>& x) {
    return {x[1], x[0] + x[1], x[0]};
}
template <class Lanes>
CATENA_INLINE Column<Lanes, 3> weights_side(const Column<Lanes, 3>& w) {
    return {w[2] - w[1], w[1], w[1] - w[0]};
}
template <class Lanes>
CATENA_INLINE Column<Lanes, 2> result_side(const Column<Lanes, 3>& m) {
    return {m[0] + m[1], m[1] - m[2]};
}
template <class Lanes>
CATENA_INLINE Column<Lanes, 3> result_gradient_side(const Column<Lanes, 2>& g) {
    return {g[0], g[0] + g[1], -g[1]};
}
template <class Lanes>
CATENA_INLINE Column<Lanes, 3> weights_gradient_side(const Column<Lanes, 3>& m) {
    return {-m[2], m[1] + m[2] - m[0], m[0]};
}

/// Loads and stores of vectors, position by position and value by value.
template <int bytes>
struct From {
    const float* from;
    int64_t row, step;
    CATENA_INLINE LanesOf<bytes> operator()(size_t i, size_t j) const {
        return Vector<float, bytes>::load(from + (int64_t(i) * row + int64_t(j)) * step);
    }
};
struct To {
    float* to;
    int64_t step;
    template <class Lanes>
    CATENA_INLINE void operator()(size_t i, size_t j, Lanes v) const {
        store(to + int64_t(i * 3 + j) * step, v);
    }
};

}  // namespace

template <int bytes>
CATENA_INLINE void transform_image_of(const float* x, int64_t channels, int64_t count,
                                      int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    for (int64_t c = 0; c < count; c += lanes_of<Lanes>)
        both_sides<Lanes, 2, 3>([](const auto& d)
                                    __attribute__((always_inline)) { return image_side(d); },
                                From<bytes>{x + c, 2, channels}, To{to + c, value_step});
}
CATENA_VECTOR_WIDTHS(void, transform_image,
                     (const float* x, int64_t channels, int64_t count, int64_t value_step,
                      float* to),
                     (x, channels, count, value_step, to))

template <int bytes>
CATENA_INLINE bool transform_result_of(const float* from, int64_t value_step, int64_t count,
                                       const float* bias, int64_t channels, float* y) {
    using Lanes = LanesOf<bytes>;
    Lanes zero{};
    for (int64_t c = 0; c < count; c += lanes_of<Lanes>) {
        const Lanes shift = bias ? Vector<float, bytes>::load(bias + c) : Lanes{};
        both_sides<Lanes, 3, 2>([](const auto& m)
                                    __attribute__((always_inline)) { return result_side(m); },
                                From<bytes>{from + c, 3, value_step},
                                [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                                    v += shift;
                                    zero += v * 0.0f;
                                    store(y + int64_t(i * 2 + j) * channels + c, v);
                                });
    }
    return is_finite(zero);
}
CATENA_VECTOR_WIDTHS(bool, transform_result,
                     (const float* from, int64_t value_step, int64_t count, const float* bias,
                      int64_t channels, float* y),
                     (from, value_step, count, bias, channels, y))

template <int bytes>
CATENA_INLINE void transform_result_gradient_of(const float* gy, int64_t channels, int64_t count,
                                                int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    for (int64_t c = 0; c < count; c += lanes_of<Lanes>)
        both_sides<Lanes, 2, 3>(
            [](const auto& g) __attribute__((always_inline)) { return result_gradient_side(g); },
            From<bytes>{gy + c, 2, channels}, To{to + c, value_step});
}
CATENA_VECTOR_WIDTHS(void, transform_result_gradient,
                     (const float* gy, int64_t channels, int64_t count, int64_t value_step,
                      float* to),
                     (gy, channels, count, value_step, to))

template <int bytes>
CATENA_INLINE void transform_weights_of(const float* w, int64_t lane_step, bool turned,
                                        int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    for (int64_t lane = 0; lane < winograd::lanes; lane += lanes_of<Lanes>) {
        Lanes taps[9];
        load_nine(w + lane * lane_step, lane_step, taps);
        if (turned)
            for (size_t i = 0; i < 4; ++i) std::swap(taps[i], taps[8 - i]);
        both_sides<Lanes, 3, 3>(
            [](const auto& g) __attribute__((always_inline)) { return weights_side(g); },
            [&](size_t i, size_t j) __attribute__((always_inline)) { return taps[i * 3 + j]; },
            To{to + lane, value_step});
    }
}
CATENA_VECTOR_WIDTHS(void, transform_weights,
                     (const float* w, int64_t lane_step, bool turned, int64_t value_step,
                      float* to),
                     (w, lane_step, turned, value_step, to))

template <int bytes>
CATENA_INLINE bool transform_weights_gradient_of(const float* from, int64_t value_step,
                                                 int64_t lane_step, float* gw) {
    using Lanes = LanesOf<bytes>;
    Lanes zero{};
    for (int64_t lane = 0; lane < winograd::lanes; lane += lanes_of<Lanes>) {
        Lanes taps[9];
        both_sides<Lanes, 3, 3>(
            [](const auto& m) __attribute__((always_inline)) { return weights_gradient_side(m); },
            From<bytes>{from + lane, 3, value_step},
            [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                zero += v * 0.0f;
                taps[i * 3 + j] = v;
            });
        store_nine(taps, lane_step, gw + lane * lane_step);
    }
    return is_finite(zero);
}
CATENA_VECTOR_WIDTHS(bool, transform_weights_gradient,
                     (const float* from, int64_t value_step, int64_t lane_step, float* gw),
                     (from, value_step, lane_step, gw))

}  // namespace catena::two_by_two
