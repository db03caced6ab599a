#pragma once

#include <cstdint>

#include "runtime/core/array/array.h"

namespace catena {

/// Sixteen images of an array [N, C, H, W] (float32, in either memory order) packed into vectors:
/// each element becomes a vector that holds it for all sixteen, one image in a lane. Elements are
/// in row-major order whatever the array's order, and rows may have zeros on both sides. Images
/// beyond the array's number are zeros. Needs AVX2 or AVX-512.
class LaneImages {
public:
    static constexpr int64_t lanes = 16;

    LaneImages() = default;
    LaneImages(const Array& array, int64_t left = 0, int64_t right = 0);

    int64_t images() const { return images_; }
    bool channels_last() const { return channels_last_; }
    int64_t groups() const { return (images_ + lanes - 1) / lanes; }
    int64_t rows() const { return height_; }
    int64_t width() const { return width_; }
    int64_t left() const { return left_; }

    // Of `rows` of a group's rows side by side, in floats: all of it, and the steps from an element
    // to the next along an axis.
    int64_t floats(int64_t rows) const { return channels_ * channel_step(rows); }
    int64_t channel_step(int64_t rows) const { return rows * row_step(); }
    int64_t row_step() const { return (left_ + width_ + right_) * lanes; }
    static constexpr int64_t column_step() { return lanes; }

    /// Packs rows [begin, end) of a group of images into `to`, which is 64-byte aligned.
    void pack(const float* array, int64_t group, int64_t begin, int64_t end, float* to) const;
    /// Copies packed rows, without zeros beside them, back into an array.
    void unpack(const float* from, int64_t group, int64_t begin, int64_t end, float* array) const;

private:
    int64_t present(int64_t group) const;

    int64_t images_ = 0, channels_ = 0, height_ = 0, width_ = 0, left_ = 0, right_ = 0;
    bool channels_last_ = false;
};

}  // namespace catena
