#pragma once

#include <cstdint>

#include "runtime/core/array/array.h"
#include "runtime/cpu/window_steps.h"
#include "runtime/cpu/convolution/winograd/read_tiles.h"
#include "runtime/cpu/convolution/winograd/winograd_transforms.h"

namespace catena::winograd {

/// A convolution of images with 3x3 weights in steps of one, and its tiles.
struct Sizes {
    int64_t images, in, out;  ///< Images and channels.
    int64_t height, width, out_height, out_width;
    int64_t pad_top, pad_left;
    int64_t tile_rows, tile_columns;

    int64_t tiles() const { return images * tile_rows * tile_columns; }
    /// Multiplications of the definition, and those that are left.
    double direct_products() const {
        return double(images * out_height * out_width) * 9 * double(in * out);
    }
    double products() const { return double(tiles() * values) * double(in * out); }

    /// Whether the transformed tiles stay in the shared cache, and the weights in none: then these
    /// are transformed block by block (winograd_blocks.h). Not for one image: that is inference,
    /// whose transformed weights are kept.
    bool has_small_tiles() const;

    /// Tile `index` of the results, or of the inputs that they are made from; both channels-last.
    Tile result(int64_t index) const;
    Tile input(int64_t index) const;
    /// Reads both ahead, of tiles [first, end) (read_tiles.h), at most `tiles_at_once`. Inputs:
    /// false if tiles would lose small ones beside large ones (even_windows.h).
    void read_results(int64_t first, int64_t end, const float* y) const;
    [[nodiscard]] bool read_inputs(int64_t first, int64_t end, const float* x) const;
};

/// Calls f(begin, end) for parts of a range of tiles that stay in a core's cache.
template <class F>
void in_turns(int64_t begin, int64_t end, F&& f) {
    for (; begin < end; begin += tiles_at_once) f(begin, std::min(end, begin + tiles_at_once));
}

/// What decides whether tiles pay. Estimates for one thread of a processor with 512-bit vectors;
/// only their ratios count.
struct Speed {
    double products_a_second, bytes_a_second;
    double gain;  ///< Of the time that the definition takes, what tiles may take at most.
    double weight_passes = 2;  ///< How often the transformed weights go through memory: written and
                               ///< read, or read alone where they are kept.
};

/// Whether tiles are faster than the definition, whose products oneDNN computes as fast.
bool is_faster(const Sizes& sizes, const Speed& speed);

/// Whether x [N, C, H, W], W [O, C, 3, 3] and y [N, O, H', W'] can be convolved by tiles, `W` being
/// the shape alone.
bool fits(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps);
Sizes sizes_of(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps);
bool is_on();

/// Images [N, C, H, W] with their channels last: themselves, or a copy.
Array channels_last(const Array& images);
/// To write to in that order: `images` themselves, or memory of which `copy_elements` fills them.
Array channels_last_like(const Array& images);

/// Floats between two of the 36 matrices: one step apart that is a power of two, they would share a
/// few lines of the cache. Not where all of them are small: oneDNN is faster with matrices side by
/// side.
constexpr int64_t pad = lanes;
constexpr int64_t step_of(int64_t rows, int64_t columns) { return rows * columns + pad; }
constexpr int64_t floats_of(int64_t rows, int64_t columns) {
    return values * step_of(rows, columns);
}

constexpr int64_t values_a_unit =
    2;  ///< Of the 36 products, those that a thread takes at once where it does not take all.

}  // namespace catena::winograd
