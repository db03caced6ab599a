#pragma once

#include <cstdint>

#include "runtime/core/array/array.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cpu/convolution/convolution_kernel.h"

// What the results of a convolution see of pictures, images of few channels, as the gradient of the
// pictures needs it.
namespace catena::patches {

constexpr int64_t lanes = 16;

/// A *patch* is what one result sees of a picture: taps() numbers in the order of the weights'
/// elements.
struct Sizes {
    int64_t images, channels, height, width;  ///< Of the pictures.
    int64_t kernel_rows, kernel_columns, row_stride, column_stride, top, left;
    int64_t out, rows, columns;  ///< Of the results.
    MemoryOrder order;           ///< Of the pictures.

    Sizes(const Array& x, const Shape& W, const Shape& y, const WindowSteps& steps);

    int64_t taps() const { return channels * kernel_rows * kernel_columns; }
    /// From a patch to the next.
    int64_t patch_step() const { return (taps() + lanes - 1) / lanes * lanes; }
    int64_t image_floats() const { return channels * height * width; }
};

/// What `count` rows of results from `first` on see of a picture, row-major, with margins for what
/// lies beside it.
class Band {
public:
    Band(const Sizes& sizes, int64_t first, int64_t count, float* floats)
        : s_(sizes), first_(first), count_(count), floats_(floats) {}
    /// Numbers of a band of so many rows of results, with what vectors write behind its end.
    static int64_t floats(const Sizes& sizes, int64_t rows) {
        return sizes.channels * height(sizes, rows) * width(sizes) + lanes;
    }

    void clear() const;
    /// Adds the patches of a row of results, with 15 more numbers behind the last.
    void add(int64_t row, const float* patches) const;
    /// Writes rows [begin, end) of the picture, zeros where the band has none of them.
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
