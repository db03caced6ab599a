#include "runtime/cpu/convolution/winograd/tile_transforms.h"

#include "runtime/cpu/convolution/tail/tail_lanes.h"
#include "runtime/cpu/convolution/winograd/minimal_filter.h"

namespace catena::winograd {
namespace {

/// Transforms a tile of an array by `Side` along both axes.
template <class Side, int bytes>
CATENA_INLINE void transform_tile(const Tile& tile, const float* array, int64_t channels,
                                  int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    const Sources<Side::from> sources(tile, array);
    for (int64_t c = 0; c < channels; c += lanes_of<Lanes>)
        both_sides<Lanes, Side::from, Side::to>(
            Side(),
            [&](size_t i, size_t j)
                __attribute__((always_inline)) { return sources.template load<bytes>(i, j, c); },
            [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                store(to + int64_t(i * Side::to + j) * value_step + c, v);
            });
}

/// Loads the values of a tile with `side` x `side` of them.
template <size_t side, int bytes>
struct Values {
    const float* first;
    int64_t step;
    CATENA_INLINE LanesOf<bytes> operator()(size_t i, size_t j) const {
        return Vector<float, bytes>::load(first + int64_t(i * side + j) * step);
    }
};

// What is done with a result stands in the lambda that both_sides() calls: with one more in between
// GCC 12 spills twice as many registers, and the transform takes 1.04 to 1.07 times as long.

template <class Side, int bytes>
CATENA_INLINE bool add_bias(const Tile& tile, const float* from, int64_t value_step,
                            int64_t channels, const float* bias, float* y) {
    using Lanes = LanesOf<bytes>;
    Lanes zero{};
    for (int64_t c = 0; c < channels; c += lanes_of<Lanes>) {
        const Lanes shift = bias ? Vector<float, bytes>::load(bias + c) : Lanes{};
        float* const to = y + tile.first + c;
        both_sides<Lanes, Side::from, Side::to>(
            Side(), Values<Side::from, bytes>{from + c, value_step},
            [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                if (int64_t(i) >= tile.rows || int64_t(j) >= tile.columns) return;
                v += shift;
                zero += v * 0.0f;
                store(to + int64_t(i) * tile.row_step + int64_t(j) * tile.column_step, v);
            });
    }
    return is_finite(zero);
}

template <class Side, int bytes>
CATENA_INLINE bool add_tail(const Tile& tile, const float* from, int64_t value_step,
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
        both_sides<Lanes, Side::from, Side::to>(
            Side(), Values<Side::from, bytes>{from + c, value_step},
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

/// Transforms the window whose tap (i, j) is tap(i, j).
template <class Side, int bytes, class Tap>
CATENA_INLINE void transform_window(const Tap& tap, int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    both_sides<Lanes, Side::from, Side::to>(
        Side(), tap, [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
            store(to + int64_t(i * Side::to + j) * value_step, v);
        });
}

template <class Side, int bytes>
CATENA_INLINE void transform_taps(const float* w, int64_t lane_step, bool turned,
                                  int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    for (int64_t lane = 0; lane < lanes; lane += lanes_of<Lanes>) {
        Lanes taps[9];
        load_taps(w + lane * lane_step, lane_step, taps);
        if (turned)
            for (size_t i = 0; i < 4; ++i) std::swap(taps[i], taps[8 - i]);
        transform_window<Side, bytes>(
            [&](size_t i, size_t j) __attribute__((always_inline)) { return taps[i * 3 + j]; },
            value_step, to + lane);
    }
}

/// `direction`: 1, or -1 for windows that are turned around.
template <class Side, int direction, int bytes>
CATENA_INLINE void transform_windows(const float* w, int64_t lane_step,
                                     std::span<const Window> windows, int64_t window_step,
                                     int64_t value_step, float* to) {
    using Lanes = LanesOf<bytes>;
    for (int64_t lane = 0; lane < lanes; lane += lanes_of<Lanes>) {
        Lanes taps[16];
        load_taps(w + lane * lane_step, lane_step, taps);
        float* values = to + lane;
        for (const Window& window : windows) {
            const Lanes* const first = taps + window.first;
            transform_window<Side, bytes>(
                [&](size_t i, size_t j) __attribute__((always_inline)) {
                    return first[direction * int64_t(8 * i + 2 * j)];
                },
                value_step, values);
            values += window_step;
        }
    }
}

template <class Side, int bytes>
CATENA_INLINE bool transform_to_taps(const float* from, int64_t value_step, int64_t lane_step,
                                     float* gw) {
    using Lanes = LanesOf<bytes>;
    Lanes zero{};
    for (int64_t lane = 0; lane < lanes; lane += lanes_of<Lanes>) {
        Lanes taps[9];
        both_sides<Lanes, Side::from, Side::to>(
            Side(), Values<Side::from, bytes>{from + lane, value_step},
            [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                zero += v * 0.0f;
                taps[i * 3 + j] = v;
            });
        store_taps(taps, lane_step, gw + lane * lane_step);
    }
    return is_finite(zero);
}

template <class Side, int bytes>
CATENA_INLINE bool transform_to_windows(const float* from, std::span<const Window> windows,
                                        int64_t window_step, int64_t value_step, int64_t lane_step,
                                        float* gw) {
    using Lanes = LanesOf<bytes>;
    Lanes zero{};
    for (int64_t lane = 0; lane < lanes; lane += lanes_of<Lanes>) {
        Lanes taps[16];
        const float* values = from + lane;
        for (const Window& window : windows) {
            Lanes* const first = taps + window.first;
            both_sides<Lanes, Side::from, Side::to>(
                Side(), Values<Side::from, bytes>{values, value_step},
                [&](size_t i, size_t j, Lanes v) __attribute__((always_inline)) {
                    zero += v * 0.0f;
                    first[8 * i + 2 * j] = v;
                });
            values += window_step;
        }
        store_taps(taps, lane_step, gw + lane * lane_step);
    }
    return is_finite(zero);
}

/// What inputs, results and windows are multiplied by.
template <int64_t m, int64_t r, bool exchanged>
struct Sides {
    using Filter = MinimalFilter<size_t(m), size_t(r)>;
    using OfOutput = MultipliedTransposed<Filter::A>;
    using OfOutputGradient = Multiplied<Filter::A>;
    using OfInput =
        std::conditional_t<exchanged, Multiplied<Filter::G>, Multiplied<Filter::B_transposed>>;
    using OfWindow =
        std::conditional_t<exchanged, Multiplied<Filter::B_transposed>, Multiplied<Filter::G>>;
    using OfWindowGradient =
        std::conditional_t<exchanged, MultipliedTransposed<Filter::B_transposed>,
                           MultipliedTransposed<Filter::G>>;
};

}  // namespace

template <int64_t m, int64_t r, bool exchanged>
void TileTransforms<m, r, exchanged>::input(const Tile& tile, const float* x, int64_t channels,
                                            int64_t value_step, float* to) {
    at_vector_width([=, &tile](auto bytes) __attribute__((always_inline)) {
        transform_tile<typename Sides<m, r, exchanged>::OfInput, bytes>(tile, x, channels,
                                                                        value_step, to);
    });
}

template <int64_t m, int64_t r, bool exchanged>
bool TileTransforms<m, r, exchanged>::output(const Tile& tile, const float* from,
                                             int64_t value_step, int64_t channels,
                                             const float* bias, float* y) {
    return at_vector_width([=, &tile](auto bytes) __attribute__((always_inline)) {
        return add_bias<typename Sides<m, r, exchanged>::OfOutput, bytes>(tile, from, value_step,
                                                                          channels, bias, y);
    });
}

template <int64_t m, int64_t r, bool exchanged>
bool TileTransforms<m, r, exchanged>::output(const Tile& tile, const float* from,
                                             int64_t value_step, int64_t channels,
                                             const ConvolutionTail& tail, float* y,
                                             int32_t& largest)
    requires(r == 3)
{
    return at_vector_width([=, &tile, &tail, &largest](auto bytes) __attribute__((always_inline)) {
        return add_tail<typename Sides<m, r, exchanged>::OfOutput, bytes>(
            tile, from, value_step, channels, tail, y, largest);
    });
}

template <int64_t m, int64_t r, bool exchanged>
void TileTransforms<m, r, exchanged>::output_gradient(const Tile& tile, const float* gy,
                                                      int64_t channels, int64_t value_step,
                                                      float* to) {
    at_vector_width([=, &tile](auto bytes) __attribute__((always_inline)) {
        transform_tile<typename Sides<m, r, exchanged>::OfOutputGradient, bytes>(tile, gy, channels,
                                                                                 value_step, to);
    });
}

template <int64_t m, int64_t r, bool exchanged>
void TileTransforms<m, r, exchanged>::weights(const float* w, int64_t lane_step, bool turned,
                                              int64_t value_step, float* to, const Repeated& times)
    requires(r == 3 || exchanged)
{
    at_vector_width([=](auto bytes) __attribute__((always_inline)) {
        for (int64_t i = 0; i < times.count; ++i)
            transform_taps<typename Sides<m, r, exchanged>::OfWindow, bytes>(
                w + i * times.from, lane_step, turned, value_step, to + i * times.to);
    });
}

template <int64_t m, int64_t r, bool exchanged>
bool TileTransforms<m, r, exchanged>::weights_gradient(const float* from, int64_t value_step,
                                                       int64_t lane_step, float* gw,
                                                       const Repeated& times)
    requires(r == 3 || exchanged)
{
    return at_vector_width([=](auto bytes) __attribute__((always_inline)) {
        bool is_finite = true;
        for (int64_t i = 0; i < times.count; ++i)
            is_finite &=
                transform_to_taps<typename Sides<m, r, exchanged>::OfWindowGradient, bytes>(
                    from + i * times.from, value_step, lane_step, gw + i * times.to);
        return is_finite;
    });
}

template <int64_t m, int64_t r, bool exchanged>
void TileTransforms<m, r, exchanged>::weights(const float* w, int64_t lane_step,
                                              std::span<const Window> windows, int64_t window_step,
                                              int64_t value_step, float* to, const Repeated& times)
    requires(r == 2 && !exchanged)
{
    at_vector_width([=](auto bytes) __attribute__((always_inline)) {
        using Side = typename Sides<m, r, exchanged>::OfWindow;
        for (int64_t i = 0; i < times.count; ++i) {
            const float* const from = w + i * times.from;
            float* const values = to + i * times.to;
            if (windows.front().turned)
                transform_windows<Side, -1, bytes>(from, lane_step, windows, window_step,
                                                   value_step, values);
            else
                transform_windows<Side, 1, bytes>(from, lane_step, windows, window_step, value_step,
                                                  values);
        }
    });
}

template <int64_t m, int64_t r, bool exchanged>
bool TileTransforms<m, r, exchanged>::weights_gradient(const float* from,
                                                       std::span<const Window> windows,
                                                       int64_t window_step, int64_t value_step,
                                                       int64_t lane_step, float* gw,
                                                       const Repeated& times)
    requires(r == 2 && !exchanged)
{
    return at_vector_width([=](auto bytes) __attribute__((always_inline)) {
        bool is_finite = true;
        for (int64_t i = 0; i < times.count; ++i)
            is_finite &=
                transform_to_windows<typename Sides<m, r, exchanged>::OfWindowGradient, bytes>(
                    from + i * times.from, windows, window_step, value_step, lane_step,
                    gw + i * times.to);
        return is_finite;
    });
}

template struct TileTransforms<4, 3>;
template struct TileTransforms<4, 2>;
template struct TileTransforms<2, 2, true>;

}  // namespace catena::winograd
