#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/window_steps.h"
#include "runtime/cpu/convolution/winograd/tile_transforms.h"
#include "runtime/cpu/machine.h"

// Convolutions with 4x4 weights in steps of two: their images have four *phases*, the positions of
// even and odd rows and columns. Each phase meets 2x2 of the taps, in steps of one, which is
// F(4x4, 2x2). Phase 2 p + q is that of rows p and columns q.
namespace catena::polyphase {

using winograd::lanes, winograd::pad, winograd::step_of, winograd::Tile, winograd::Window;

using Transforms = winograd::TileTransforms<4, 2>;
constexpr int64_t out_side = Transforms::out_side, in_side = Transforms::in_side,
                  values = Transforms::values, phases = 4, taps = Transforms::taps;
/// The taps that each phase meets; and in reverse order, as the gradient towards the images needs
/// them.
constexpr Window phase_windows[phases] = {{0}, {1}, {4}, {5}},
                 turned_windows[phases] = {{10, true}, {11, true}, {14, true}, {15, true}};

/// One axis of a convolution with four taps in steps of two, with `size` positions padded by `pad`.
/// Phase p of a padded axis is the positions 2 m + p - pad.
struct Axis {
    int64_t size, results, pad;

    /// The positions first, first + step, ... that lie on the axis; the first of them has number
    /// `top`.
    struct Part {
        int64_t top, count, first, step;
    };
    /// The results of tile t, and the `in_side` positions of a phase that they are made from.
    int64_t tiles() const { return (results + out_side - 1) / out_side; }
    Part result(int64_t t) const;
    Part input(int64_t t, int64_t phase) const;
    /// The tiles of the gradient towards the images, where a tile belongs to one phase of them.
    int64_t gradient_tiles() const;
    Part gradient_result(int64_t t, int64_t phase) const;
    Part gradient_input(int64_t t, int64_t phase) const;
    /// The place where tile 0 of any phase begins.
    int64_t gradient_begin() const { return first_of(1) - 1; }

private:
    /// The least m of a phase.
    int64_t first_of(int64_t phase) const { return (pad - phase + 1) >> 1; }
};

/// A convolution of images [images, height, width, in] with 4x4 weights in steps of two.
struct Sizes {
    int64_t images, in, out;  ///< Numbers of images and channels.
    Axis rows, columns;

    int64_t tiles() const { return images * rows.tiles() * columns.tiles(); }
    int64_t gradient_tiles() const {
        return images * rows.gradient_tiles() * columns.gradient_tiles();
    }
    // Tile `index` of the results and so on, as in Axis.
    Tile result(int64_t index) const;
    Tile input(int64_t index, int64_t phase) const;
    Tile gradient_result(int64_t index, int64_t phase) const;
    Tile gradient_input(int64_t index, int64_t phase) const;
    /// Reads inputs in advance, for all phases of tiles [first, end) (read_tiles.h), at most
    /// winograd::tiles_at_once. False if the tiles' rounding would lose small numbers beside large
    /// ones (even_windows.h).
    [[nodiscard]] bool read_inputs(int64_t first, int64_t end, const float* x) const;
    [[nodiscard]] bool read_gradient_inputs(int64_t first, int64_t end, const float* gy) const;
};

/// Whether x [N, C, H, W], W [O, C, 4, 4] and y [N, O, H', W'] can be convolved by phases; `W` is
/// the shape alone.
bool fits(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps);
Sizes sizes_of(const Shape& x, const Shape& y, const WindowSteps& steps);

/// Whether so many tiles are faster than the definition, whose products oneDNN computes. `moved`:
/// the number of channels, of all phases, that are transformed for each tile.
bool is_faster(const Sizes& sizes, int64_t tiles, int64_t moved);

/// The number of channels that a product computes at once: a panel of tiles in registers.
constexpr int64_t block_of(int64_t channels) {
    return channels % (2 * lanes) == 0 ? 2 * lanes : lanes;
}

}  // namespace catena::polyphase
