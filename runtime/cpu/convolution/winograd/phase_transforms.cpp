#include "runtime/cpu/convolution/winograd/phase_transforms.h"

#include "runtime/cpu/convolution/winograd/winograd_lanes.h"

namespace catena::polyphase {
namespace {

using namespace winograd;

// The points are a, -a, b, -b and infinity.
constexpr float a = 0.5f, b = 1.25f;
constexpr float a2 = a * a, b2 = b * b, a3 = a2 * a, b3 = b2 * b, product = a2 * b2, sum = a2 + b2;
// 1 / the product of a point's differences to the others.
constexpr float na = float(1 / (2.0 * a * (a2 - b2))), nb = float(1 / (2.0 * b * (b2 - a2)));

// One side of each transform. Even and odd powers of the points are shared between p and -p.

template <class Lanes>
CATENA_INLINE Column<Lanes, 5> input_side(const Column<Lanes, 5>& d) {  // B^T d
    const Lanes even_a = d[3] - b2 * d[1], odd_a = a * (d[2] - b2 * d[0]);
    const Lanes even_b = d[3] - a2 * d[1], odd_b = b * (d[2] - a2 * d[0]);
    return {even_a + odd_a, even_a - odd_a, even_b + odd_b, even_b - odd_b,
            product * d[0] - sum * d[2] + d[4]};
}

template <class Lanes>
CATENA_INLINE Column<Lanes, 4> output_side(const Column<Lanes, 5>& m) {  // A^T m
    const Lanes even_a = m[0] + m[1], odd_a = m[0] - m[1], even_b = m[2] + m[3],
                odd_b = m[2] - m[3];
    return {even_a + even_b, a * odd_a + b * odd_b, a2 * even_a + b2 * even_b,
            a3 * odd_a + b3 * odd_b + m[4]};
}

template <class Lanes>
CATENA_INLINE Column<Lanes, 5> output_gradient_side(const Column<Lanes, 4>& g) {  // A g
    const Lanes even_a = g[0] + a2 * g[2], odd_a = a * g[1] + a3 * g[3];
    const Lanes even_b = g[0] + b2 * g[2], odd_b = b * g[1] + b3 * g[3];
    return {even_a + odd_a, even_a - odd_a, even_b + odd_b, even_b - odd_b, g[3]};
}

template <class Lanes>
CATENA_INLINE Column<Lanes, 5> weights_side(const Column<Lanes, 2>& w) {  // G w
    const Lanes even_a = na * w[0], odd_a = na * a * w[1], even_b = nb * w[0],
                odd_b = nb * b * w[1];
    return {odd_a + even_a, odd_a - even_a, odd_b + even_b, odd_b - even_b, w[1]};
}

template <class Lanes>
CATENA_INLINE Column<Lanes, 2> weights_gradient_side(const Column<Lanes, 5>& g) {  // G^T g
    return {na * (g[0] - g[1]) + nb * (g[2] - g[3]),
            na * a * (g[0] + g[1]) + nb * b * (g[2] + g[3]) + g[4]};
}

/// The tap that a phase meets in row i and column j of its 2x2.
constexpr size_t tap_of(int64_t phase, size_t i, size_t j) {
    return (2 * i + size_t(phase / 2)) * 4 + 2 * j + size_t(phase % 2);
}

}  // namespace

template <int bytes>
CATENA_INLINE void transform_input_of(const Tile& tile, const float* x, int64_t channels,
                                      int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    const Sources<in_side> sources(tile, x);
    for (int64_t c = 0; c < channels; c += lanes_of<Lanes>)
        both_sides<Lanes, 5, 5>(
            [](const auto& d) __attribute__((always_inline)) { return input_side(d); },
            [&](size_t i, size_t j)
                __attribute__((always_inline)) { return sources.template load<bytes>(i, j, c); },
            [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                store(to + int64_t(i * 5 + j) * value_step + c, v);
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
        both_sides<Lanes, 5, 4>(
            [](const auto& m) __attribute__((always_inline)) { return output_side(m); },
            [&](size_t i, size_t j) __attribute__((always_inline)) {
                return Vector<float, bytes>::load(from + int64_t(i * 5 + j) * value_step + c);
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
CATENA_INLINE void transform_output_gradient_of(const Tile& tile, const float* gy, int64_t channels,
                                                int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    const Sources<out_side> sources(tile, gy);
    for (int64_t c = 0; c < channels; c += lanes_of<Lanes>)
        both_sides<Lanes, 4, 5>(
            [](const auto& g) __attribute__((always_inline)) { return output_gradient_side(g); },
            [&](size_t i, size_t j)
                __attribute__((always_inline)) { return sources.template load<bytes>(i, j, c); },
            [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                store(to + int64_t(i * 5 + j) * value_step + c, v);
            });
}
CATENA_VECTOR_WIDTHS(void, transform_output_gradient,
                     (const Tile& tile, const float* gy, int64_t channels, int64_t value_step,
                      float* to),
                     (tile, gy, channels, value_step, to))

template <int bytes>
CATENA_INLINE void transform_weights_of(const float* w, int64_t lane_step, int64_t phase_step,
                                        int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    for (int64_t lane = 0; lane < lanes; lane += lanes_of<Lanes>) {
        Lanes rows[taps];
        load_squares<taps>(w + lane * lane_step, lane_step, rows);
        for (int64_t phase = 0; phase < phases; ++phase)
            both_sides<Lanes, 2, 5>(
                [](const auto& g) __attribute__((always_inline)) { return weights_side(g); },
                [&](size_t i, size_t j)
                    __attribute__((always_inline)) { return rows[tap_of(phase, i, j)]; },
                [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                    store(to + lane + phase * phase_step + int64_t(i * 5 + j) * value_step, v);
                });
    }
}
CATENA_VECTOR_WIDTHS(void, transform_weights,
                     (const float* w, int64_t lane_step, int64_t phase_step, int64_t value_step,
                      float* to),
                     (w, lane_step, phase_step, value_step, to))

template <int bytes>
CATENA_INLINE void transform_turned_weights_of(const float* w, int64_t lane_step, int64_t phase,
                                               int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    for (int64_t lane = 0; lane < lanes; lane += lanes_of<Lanes>) {
        Lanes rows[taps];
        load_squares<taps>(w + lane * lane_step, lane_step, rows);
        both_sides<Lanes, 2, 5>(
            [](const auto& g) __attribute__((always_inline)) { return weights_side(g); },
            [&](size_t i, size_t j)
                __attribute__((always_inline)) { return rows[tap_of(phase, 1 - i, 1 - j)]; },
            [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                store(to + lane + int64_t(i * 5 + j) * value_step, v);
            });
    }
}
CATENA_VECTOR_WIDTHS(void, transform_turned_weights,
                     (const float* w, int64_t lane_step, int64_t phase, int64_t value_step,
                      float* to),
                     (w, lane_step, phase, value_step, to))

template <int bytes>
CATENA_INLINE bool transform_weights_gradient_of(const float* from, int64_t phase_step,
                                                 int64_t value_step, int64_t lane_step, float* gw) {
    using Lanes = LanesOf<bytes>;
    Lanes zero{};
    for (int64_t lane = 0; lane < lanes; lane += lanes_of<Lanes>) {
        Lanes rows[taps];
        for (int64_t phase = 0; phase < phases; ++phase)
            both_sides<Lanes, 5, 2>(
                [](const auto& g)
                    __attribute__((always_inline)) { return weights_gradient_side(g); },
                [&](size_t i, size_t j) __attribute__((always_inline)) {
                    return Vector<float, bytes>::load(from + lane + phase * phase_step +
                                                      int64_t(i * 5 + j) * value_step);
                },
                [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                    zero += v * 0.0f;
                    rows[tap_of(phase, i, j)] = v;
                });
        store_squares<taps>(rows, lane_step, gw + lane * lane_step);
    }
    return is_finite(zero);
}
CATENA_VECTOR_WIDTHS(bool, transform_weights_gradient,
                     (const float* from, int64_t phase_step, int64_t value_step, int64_t lane_step,
                      float* gw),
                     (from, phase_step, value_step, lane_step, gw))

}  // namespace catena::polyphase
