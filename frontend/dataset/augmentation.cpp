#include "frontend/dataset/augmentation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/noise/random.h"
#include "runtime/ops/spatial/resize.h"

namespace catena {
namespace {

void check_image(const char* who, const Array& image) {
    if (image.rank() != 3)
        fail<ShapeError>("{}: an image is [channels, height, width], not {}", who,
                         to_string(image.shape()));
}

/// Numbers in [0, 1).
std::vector<double> draw(int64_t count) {
    return random_uniform({count}).array().to_vector<double>();
}

/// A random number of 0, ..., n - 1.
int64_t one_of(int64_t n, double chance) { return std::min(int64_t(chance * double(n)), n - 1); }

Array part(const char* who, const Array& image, int64_t top, int64_t left, ImageSize size,
           int64_t pad = 0) {
    if (size.height < 1 || size.width < 1 || size.height > image.dim(1) ||
        size.width > image.dim(2))
        fail<ShapeError>(
            "{}: a part of {}x{} does not fit into an image {}{}", who, size.height, size.width,
            to_string(Shape{image.dim(0), image.dim(1) - 2 * pad, image.dim(2) - 2 * pad}),
            pad == 0 ? "" : fmt::format(" with {} zeros on each side", pad));
    return strided_slice(image, {0, top, left}, {1, 1, 1}, {image.dim(0), size.height, size.width})
        .array();
}

}  // namespace

Array random_flip(const Array& image, const FlipOptions& options) {
    check_image("random_flip", image);
    const auto no_graph = no_backprop_mode();
    const std::vector<double> chance = draw(2);
    Array flipped = image;
    if (options.x && chance[0] < 0.5) flipped = flip(flipped, 2).array();
    if (options.y && chance[1] < 0.5) flipped = flip(flipped, 1).array();
    return flipped;
}

Array random_crop(const Array& image, ImageSize size, int64_t pad) {
    check_image("random_crop", image);
    const auto no_graph = no_backprop_mode();
    const Array padded =
        pad == 0 ? image : catena::pad(image, {0, pad, pad}, {0, pad, pad}).array();
    const std::vector<double> chance = draw(2);
    return part("random_crop", padded,
                one_of(std::max<int64_t>(padded.dim(1) - size.height + 1, 1), chance[0]),
                one_of(std::max<int64_t>(padded.dim(2) - size.width + 1, 1), chance[1]), size, pad);
}

Array center_crop(const Array& image, ImageSize size) {
    check_image("center_crop", image);
    const auto no_graph = no_backprop_mode();
    return part("center_crop", image, std::max<int64_t>(image.dim(1) - size.height, 0) / 2,
                std::max<int64_t>(image.dim(2) - size.width, 0) / 2, size);
}

Array random_sized_crop(const Array& image, ImageSize size, const SizedCropOptions& options) {
    check_image("random_sized_crop", image);
    const auto no_graph = no_backprop_mode();
    const std::vector<double> chance = draw(4);
    const auto between = [](std::pair<double, double> range, double share) {
        return range.first + share * (range.second - range.first);
    };
    const double height = double(image.dim(1)), width = double(image.dim(2));
    const double area = between(options.area, chance[0]) * height * width;
    const double ratio = std::exp(
        between({std::log(options.ratio.first), std::log(options.ratio.second)}, chance[1]));
    const ImageSize taken{
        std::clamp<int64_t>(std::lround(std::sqrt(area / ratio)), 1, image.dim(1)),
        std::clamp<int64_t>(std::lround(std::sqrt(area * ratio)), 1, image.dim(2))};
    const Array found =
        part("random_sized_crop", image, one_of(image.dim(1) - taken.height + 1, chance[2]),
             one_of(image.dim(2) - taken.width + 1, chance[3]), taken);
    return squeeze(resize_images(expand_dims(found, 0), {size.height, size.width}), {0}).array();
}

}  // namespace catena
