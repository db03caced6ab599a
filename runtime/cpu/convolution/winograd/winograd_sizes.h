#pragma once

#include <cstdint>

#include "runtime/core/array/array.h"
#include "runtime/cpu/window_steps.h"
#include "runtime/cpu/convolution/winograd/read_tiles.h"
#include "runtime/cpu/convolution/winograd/tile_transforms.h"

namespace catena::winograd {

using Transforms = TileTransforms<4, 3>;
constexpr int64_t out_side = Transforms::out_side, in_side = Transforms::in_side,
                  values = Transforms::values;

/// Sizes of a convolution of images with 3x3 weights in steps of one, and its tiles.
struct Sizes {
    int64_t images, in, out;  ///< Numbers of images and channels.
    int64_t height, width, out_height, out_width;
    int64_t pad_top, pad_left;
    int64_t tile_rows, tile_columns;

    int64_t tiles() const { return images * tile_rows * tile_columns; }
    /// The number of multiplications by the definition (direct_products), and those that tiles
    /// need.
    double direct_products() const {
        return double(images * out_height * out_width) * 9 * double(in * out);
    }
    double products() const { return double(tiles() * values) * double(in * out); }

    /// Whether the transformed tiles fit into the shared cache, and the weights into none: then
    /// weights are transformed block by block (winograd_blocks.h). False for one image: that is
    /// inference, whose transformed weights are cached.
    bool has_small_tiles() const;

    /// Tile `index` of the results, or of the inputs that they are made from; both channels-last.
    Tile result(int64_t index) const;
    Tile input(int64_t index) const;
    /// Read results or inputs in advance, for tiles [first, end) (read_tiles.h), at most
    /// `tiles_at_once`. Inputs: false if the tiles' rounding would lose small numbers beside large
    /// ones (even_windows.h).
    void read_results(int64_t first, int64_t end, const float* y) const;
    [[nodiscard]] bool read_inputs(int64_t first, int64_t end, const float* x) const;
};

/// Calls f(begin, end) for parts of a range of tiles that fit into a core's cache.
template <class F>
void in_turns(int64_t begin, int64_t end, F&& f) {
    for (; begin < end; begin += tiles_at_once) f(begin, std::min(end, begin + tiles_at_once));
}

/// Estimates that decide whether tiles pay, for one thread of a processor with 512-bit vectors;
/// only their ratios matter.
struct Speed {
    double products_a_second, bytes_a_second;
    double gain;  ///< The largest share of the definition's time that tiles may take.
    /// How many times the transformed weights go through memory: written and read, or only read if
    /// they are cached.
    double weight_passes = 2;
};

/// Whether tiles are faster than the definition, whose products oneDNN computes as fast.
bool is_faster(const Sizes& sizes, const Speed& speed);

/// Whether x [N, C, H, W], W [O, C, 3, 3] and y [N, O, H', W'] can be convolved by tiles; `W` is
/// the shape alone.
bool fits(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps);
Sizes sizes_of(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps);
bool is_on();

/// The images [N, C, H, W] with their channels last: themselves, or a copy.
Array channels_last(const Array& images);
/// Memory in that order for writing: `images` themselves, or a temporary from which `copy_elements`
/// fills them afterwards.
Array channels_last_like(const Array& images);

/// How many of the 36 products a thread computes at once, if not all.
constexpr int64_t values_a_unit = 2;

}  // namespace catena::winograd
