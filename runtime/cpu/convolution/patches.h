#pragma once

#include <cstdint>

#include "runtime/core/array/array.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cpu/window_steps.h"

// What the results of a convolution see of pictures, images of few channels, as the gradient of the
// pictures needs it.
namespace catena::patches {

constexpr int64_t lanes = 16;

/// Sizes of a convolution for patches. A *patch* is the window of an image that one result reads:
/// taps() numbers in the order of the weights' elements.
struct Sizes {
    int64_t images, channels, height, width;  ///< Sizes of the images.
    int64_t kernel_rows, kernel_columns, row_stride, column_stride, top, left;
    int64_t out, rows, columns;  ///< Sizes of the results.
    MemoryOrder order;           ///< Memory order of the images.

    Sizes(const Array& x, const Shape& W, const Shape& y, const WindowSteps& steps);

    int64_t taps() const { return channels * kernel_rows * kernel_columns; }
    /// Distance from a patch to the next, in floats.
    int64_t patch_step() const { return (taps() + lanes - 1) / lanes * lanes; }
    int64_t image_floats() const { return channels * height * width; }
};

/// The part of an image that `count` rows of results from `first` on read, row-major, with margins
/// for what lies outside of the image.
class Band {
public:
    Band(const Sizes& sizes, int64_t first, int64_t count, float* floats)
        : s_(sizes), first_(first), count_(count), floats_(floats) {}
    /// The number of floats of a band for so many rows of results, including what vectors write
    /// behind its end.
    static int64_t floats(const Sizes& sizes, int64_t rows) {
        return sizes.channels * height(sizes, rows) * width(sizes) + lanes;
    }

    void clear() const;
    /// Adds the patches of a row of results; 15 more numbers must be readable behind the last.
    void add(int64_t row, const float* patches) const;
    /// Writes rows [begin, end) of the image; zeros where the band has none of them.
    void write(int64_t begin, int64_t end, float* picture) const;

private:
    static int64_t height(const Sizes& s, int64_t rows) {
        return (rows - 1) * s.row_stride + s.kernel_rows;
    }
    static int64_t width(const Sizes& s);
    template <int vector>
    void add_vectors(int64_t row, const float* patches) const;

    const Sizes& s_;
    const int64_t first_, count_;
    float* const floats_;
};

}  // namespace catena::patches
