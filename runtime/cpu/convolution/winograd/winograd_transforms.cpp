#include "runtime/cpu/convolution/winograd/winograd_transforms.h"

#include "runtime/cpu/convolution/tail/tail_lanes.h"
#include "runtime/cpu/convolution/winograd/winograd_lanes.h"

namespace catena::winograd {
namespace {

// The points are 0, a, -a, b, -b and infinity.
constexpr float a = 0.625f, b = 1.5f;
constexpr float a2 = a * a, b2 = b * b, a3 = a2 * a, b3 = b2 * b, ab2 = a * b2, a2b = a2 * b,
                product = a2 * b2, sum = a2 + b2;
// 1 / the product of a point's differences to the others.
constexpr float n0 = 1 / product, na = float(1 / (2.0 * a2 * (a2 - b2))),
                nb = float(1 / (2.0 * b2 * (b2 - a2)));

// One side of each transform. Even and odd powers of the points are shared between p and -p.

template <class Lanes>
CATENA_INLINE Column<Lanes, 6> input_side(const Column<Lanes, 6>& d) {  // B^T d
    const Lanes even_a = d[4] - b2 * d[2], odd_a = a * d[3] - ab2 * d[1];
    const Lanes even_b = d[4] - a2 * d[2], odd_b = b * d[3] - a2b * d[1];
    return {product * d[0] - sum * d[2] + d[4],
            even_a + odd_a,
            even_a - odd_a,
            even_b + odd_b,
            even_b - odd_b,
            product * d[1] - sum * d[3] + d[5]};
}

template <class Lanes>
CATENA_INLINE Column<Lanes, 4> output_side(const Column<Lanes, 6>& m) {  // A^T m
    const Lanes even_a = m[1] + m[2], odd_a = m[1] - m[2], even_b = m[3] + m[4],
                odd_b = m[3] - m[4];
    return {m[0] + even_a + even_b, a * odd_a + b * odd_b, a2 * even_a + b2 * even_b,
            a3 * odd_a + b3 * odd_b + m[5]};
}

template <class Lanes>
CATENA_INLINE Column<Lanes, 6> output_gradient_side(const Column<Lanes, 4>& g) {  // A g
    const Lanes even_a = g[0] + a2 * g[2], odd_a = a * g[1] + a3 * g[3];
    const Lanes even_b = g[0] + b2 * g[2], odd_b = b * g[1] + b3 * g[3];
    return {g[0], even_a + odd_a, even_a - odd_a, even_b + odd_b, even_b - odd_b, g[3]};
}

template <class Lanes>
CATENA_INLINE Column<Lanes, 6> weights_side(const Column<Lanes, 3>& w) {  // G w
    const Lanes even_a = na * (w[0] + a2 * w[2]), odd_a = na * a * w[1];
    const Lanes even_b = nb * (w[0] + b2 * w[2]), odd_b = nb * b * w[1];
    return {n0 * w[0], even_a + odd_a, even_a - odd_a, even_b + odd_b, even_b - odd_b, w[2]};
}

template <class Lanes>
CATENA_INLINE Column<Lanes, 3> weights_gradient_side(const Column<Lanes, 6>& g) {  // G^T g
    const Lanes even_a = na * (g[1] + g[2]), odd_a = na * (g[1] - g[2]);
    const Lanes even_b = nb * (g[3] + g[4]), odd_b = nb * (g[3] - g[4]);
    return {n0 * g[0] + even_a + even_b, a * odd_a + b * odd_b, a2 * even_a + b2 * even_b + g[5]};
}

}  // namespace

template <int bytes>
CATENA_INLINE void transform_input_of(const Tile& tile, const float* x, int64_t channels,
                                      int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    const Sources<in_side> sources(tile, x);
    for (int64_t c = 0; c < channels; c += lanes_of<Lanes>)
        both_sides<Lanes, 6, 6>(
            [](const auto& d) __attribute__((always_inline)) { return input_side(d); },
            [&](size_t i, size_t j)
                __attribute__((always_inline)) { return sources.template load<bytes>(i, j, c); },
            [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                store(to + int64_t(i * 6 + j) * value_step + c, v);
            });
}
CATENA_VECTOR_WIDTHS(void, transform_input,
                     (const Tile& tile, const float* x, int64_t channels, int64_t value_step,
                      float* to),
                     (tile, x, channels, value_step, to))

template <int bytes>
CATENA_INLINE bool transform_output_of(const Tile& tile, const float* from, int64_t value_step,
                                       int64_t channels, const float* bias, float* y) {
    using Lanes = LanesOf<bytes>;
    Lanes zero{};
    for (int64_t c = 0; c < channels; c += lanes_of<Lanes>) {
        const Lanes shift = bias ? Vector<float, bytes>::load(bias + c) : Lanes{};
        float* to = y + tile.first + c;
        both_sides<Lanes, 6, 4>(
            [](const auto& m) __attribute__((always_inline)) { return output_side(m); },
            [&](size_t i, size_t j) __attribute__((always_inline)) {
                return Vector<float, bytes>::load(from + int64_t(i * 6 + j) * value_step + c);
            },
            [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                if (int64_t(i) >= tile.rows || int64_t(j) >= tile.columns) return;
                v += shift;
                zero += v * 0.0f;
                store(to + int64_t(i) * tile.row_step + int64_t(j) * tile.column_step, v);
            });
    }
    return is_finite(zero);
}
CATENA_VECTOR_WIDTHS(bool, transform_output,
                     (const Tile& tile, const float* from, int64_t value_step, int64_t channels,
                      const float* bias, float* y),
                     (tile, from, value_step, channels, bias, y))

template <int bytes>
CATENA_INLINE bool transform_output_of(const Tile& tile, const float* from, int64_t value_step,
                                       int64_t channels, const ConvolutionTail& tail, float* y,
                                       int32_t& largest) {
    using Lanes = LanesOf<bytes>;
    Lanes zero{};
    TailLanes<bytes> results(tail);
    for (int64_t c = 0; c < channels; c += lanes_of<Lanes>) {
        const Lanes before = Vector<float, bytes>::load(tail.before + c),
                    scale = Vector<float, bytes>::load(tail.scale + c),
                    shift = Vector<float, bytes>::load(tail.shift + c);
        const int64_t first = tile.first + c;
        both_sides<Lanes, 6, 4>(
            [](const auto& m) __attribute__((always_inline)) { return output_side(m); },
            [&](size_t i, size_t j) __attribute__((always_inline)) {
                return Vector<float, bytes>::load(from + int64_t(i * 6 + j) * value_step + c);
            },
            [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                if (int64_t(i) >= tile.rows || int64_t(j) >= tile.columns) return;
                zero += v * 0.0f;
                const int64_t at =
                    first + int64_t(i) * tile.row_step + int64_t(j) * tile.column_step;
                v = (v + before) * scale + shift;
                if (tail.other) v += Vector<float, bytes>::load(tail.other + at);
                v = results.clipped(v);
                results.note(v);
                store(y + at, v);
            });
    }
    const int32_t found = results.largest_bits();
    largest = found > largest ? found : largest;
    return is_finite(zero);
}
CATENA_VECTOR_WIDTHS(bool, transform_output,
                     (const Tile& tile, const float* from, int64_t value_step, int64_t channels,
                      const ConvolutionTail& tail, float* y, int32_t& largest),
                     (tile, from, value_step, channels, tail, y, largest))

template <int bytes>
CATENA_INLINE void transform_output_gradient_of(const Tile& tile, const float* gy, int64_t channels,
                                                int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    const Sources<out_side> sources(tile, gy);
    for (int64_t c = 0; c < channels; c += lanes_of<Lanes>)
        both_sides<Lanes, 4, 6>(
            [](const auto& g) __attribute__((always_inline)) { return output_gradient_side(g); },
            [&](size_t i, size_t j)
                __attribute__((always_inline)) { return sources.template load<bytes>(i, j, c); },
            [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                store(to + int64_t(i * 6 + j) * value_step + c, v);
            });
}
CATENA_VECTOR_WIDTHS(void, transform_output_gradient,
                     (const Tile& tile, const float* gy, int64_t channels, int64_t value_step,
                      float* to),
                     (tile, gy, channels, value_step, to))

template <int bytes>
CATENA_INLINE void transform_weights_of(const float* w, int64_t lane_step, bool turned,
                                        int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    for (int64_t lane = 0; lane < lanes;
         lane += lanes_of<Lanes>, w += lanes_of<Lanes> * lane_step, to += lanes_of<Lanes>) {
        Lanes taps[9];
        load_nine(w, lane_step, taps);
        if (turned)
            for (size_t i = 0; i < 4; ++i) std::swap(taps[i], taps[8 - i]);
        both_sides<Lanes, 3, 6>(
            [](const auto& g) __attribute__((always_inline)) { return weights_side(g); },
            [&](size_t i, size_t j) __attribute__((always_inline)) { return taps[i * 3 + j]; },
            [&](size_t i, size_t j, Lanes v)
                __attribute__((always_inline)) { store(to + int64_t(i * 6 + j) * value_step, v); });
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
    for (int64_t lane = 0; lane < lanes;
         lane += lanes_of<Lanes>, from += lanes_of<Lanes>, gw += lanes_of<Lanes> * lane_step) {
        Lanes taps[9];
        both_sides<Lanes, 6, 3>(
            [](const auto& g) __attribute__((always_inline)) { return weights_gradient_side(g); },
            [&](size_t i, size_t j) __attribute__((always_inline)) {
                return Vector<float, bytes>::load(from + int64_t(i * 6 + j) * value_step);
            },
            [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                zero += v * 0.0f;
                taps[i * 3 + j] = v;
            });
        store_nine(taps, lane_step, gw);
    }
    return is_finite(zero);
}
CATENA_VECTOR_WIDTHS(bool, transform_weights_gradient,
                     (const float* from, int64_t value_step, int64_t lane_step, float* gw),
                     (from, value_step, lane_step, gw))

}  // namespace catena::winograd
