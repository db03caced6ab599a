#include <algorithm>
#include <cmath>

#include "frontend/link/vision/resample.h"
#include "frontend/link/vision/vision_network.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"

namespace catena {
namespace {

/// uint8 [C, H, W] on the host, with one channel or three.
Array as_picture(const Array& image) {
    Array picture = image.to(cpu_device());
    if (picture.rank() == 2)
        picture = picture.view({1, picture.dim(0), picture.dim(1)},
                               {0, picture.strides()[0], picture.strides()[1]}, 0);
    const int64_t channels = picture.rank() == 3 ? picture.dim(0) : 0;
    if (channels != 1 && channels != 3 && channels != 4)
        fail<ShapeError>("prepare: the picture should be [H, W], [1, H, W] or [3, H, W], it is {}",
                         to_string(image.type()));
    if (picture.dtype() == Dtype::uint8) return picture;
    std::vector<uint8_t> pixels;
    for (double value : picture.to_vector<double>())
        pixels.push_back(uint8_t(int64_t(value)));  // As NumPy's astype.
    return Array::from(pixels, picture.shape());
}

}  // namespace

Array prepare_image(const Array& image, const std::optional<ImageSize>& size,
                    const std::array<double, 3>& mean) {
    const DeviceScope host(cpu_device());
    Array picture = as_picture(image);
    if (size) picture = resampled(picture, size->height, size->width);
    const int64_t height = picture.dim(1), width = picture.dim(2), plane = height * width;
    const std::vector<uint8_t> pixels = picture.to_vector<uint8_t>();
    std::vector<float> values(size_t(3 * plane));
    for (int c = 0; c < 3; ++c) {  // From red, green, blue to blue, green, red.
        const int64_t from = picture.dim(0) == 1 ? 0 : 2 - c;
        for (int64_t i = 0; i < plane; ++i)
            values[size_t(c * plane + i)] =
                float(pixels[size_t(from * plane + i)]) - float(mean[size_t(c)]);
    }
    return Array::from(values, Shape{3, height, width}).astype(config().dtype);
}

}  // namespace catena
