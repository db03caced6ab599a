#pragma once

#include <cstdint>
#include <utility>

#include "runtime/core/array/array.h"

namespace catena {

// Changes of an image [channels, height, width] for a TransformDataset. Chances are drawn from this
// thread's random numbers (see set_seed). ShapeError for another rank, or a size that does not fit.
//
//     ct::TransformDataset(training, [](const ct::Example& e) {
//         return ct::Example{ct::random_flip(ct::random_crop(e[0], {32, 32}, 4)), e[1]};
//     });

/// The height and the width of an image, in pixels.
struct ImageSize {
    /// The size in pixels, 1 at least.
    int64_t height, width;
};

/// The directions that random_flip may reverse.
struct FlipOptions {
    bool x = true;   ///< Whether left and right may be exchanged.
    bool y = false;  ///< Whether top and bottom may be exchanged.
};
/// The image with each allowed direction reversed with probability 1/2.
Array random_flip(const Array& image, const FlipOptions& options = {});

/// A part of this size at a random place of the image, which first gets `pad` zeros on each side.
Array random_crop(const Array& image, ImageSize size, int64_t pad = 0);

/// The part of this size in the middle.
Array center_crop(const Array& image, ImageSize size);

/// Options of random_sized_crop.
struct SizedCropOptions {
    /// The range of the part's area, as a share of the image's.
    std::pair<double, double> area = {0.08, 1};
    /// The range of the part's width divided by its height.
    std::pair<double, double> ratio = {3.0 / 4, 4.0 / 3};
};
/// A part of random area and proportions at a random place, resized to `size` (Szegedy et al.
/// 2015). For float images.
Array random_sized_crop(const Array& image, ImageSize size, const SizedCropOptions& options = {});

}  // namespace catena
