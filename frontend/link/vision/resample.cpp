#include "frontend/link/vision/resample.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

constexpr int precision = 32 - 8 - 2;  // Bits behind the point of a weight, as in Pillow.

double cubic(double x) {
    constexpr double a = -0.5;
    x = std::abs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
    return 0;
}

/// What an element of the result reads.
struct Reads {
    int64_t begin = 0;
    std::vector<int32_t> weights;
};

std::vector<Reads> reads_along(int64_t from, int64_t to) {
    const double scale = double(from) / double(to), widened = std::max(scale, 1.0),
                 support = 2 * widened;
    std::vector<Reads> all;
    for (int64_t i = 0; i < to; ++i) {
        const double centre = (double(i) + 0.5) * scale;
        Reads reads;
        reads.begin = std::max<int64_t>(int64_t(centre - support + 0.5), 0);
        const int64_t end = std::min<int64_t>(int64_t(centre + support + 0.5), from);
        std::vector<double> weights;
        double sum = 0;
        for (int64_t k = reads.begin; k < end; ++k) {
            weights.push_back(cubic((double(k) - centre + 0.5) / widened));
            sum += weights.back();
        }
        for (double weight : weights) {
            const double fixed = (sum != 0 ? weight / sum : weight) * (1 << precision);
            reads.weights.push_back(int32_t(fixed < 0 ? fixed - 0.5 : fixed + 0.5));
        }
        all.push_back(std::move(reads));
    }
    return all;
}

/// Resamples along one axis of [outer, from, inner].
std::vector<uint8_t> resampled_along(const std::vector<uint8_t>& x, int64_t outer, int64_t from,
                                     int64_t to, int64_t inner) {
    if (from == to) return x;
    const std::vector<Reads> reads = reads_along(from, to);
    std::vector<uint8_t> y(size_t(outer * to * inner));
    for (int64_t o = 0; o < outer; ++o)
        for (int64_t i = 0; i < to; ++i)
            for (int64_t in = 0; in < inner; ++in) {
                const uint8_t* column = x.data() + (o * from + reads[size_t(i)].begin) * inner + in;
                int32_t sum = 1 << (precision - 1);
                for (int32_t weight : reads[size_t(i)].weights) {
                    sum += weight * *column;
                    column += inner;
                }
                y[size_t((o * to + i) * inner + in)] =
                    uint8_t(std::clamp(sum >> precision, 0, 255));
            }
    return y;
}

}  // namespace

Array resampled(const Array& picture, int64_t height, int64_t width) {
    const Shape& from = picture.shape();
    if (picture.dtype() != Dtype::uint8 || from.rank() != 3 || from[1] < 1 || from[2] < 1)
        fail<ShapeError>("resampled: the picture should be uint8 [C, H, W], it is {}",
                         to_string(picture.type()));
    if (height < 1 || width < 1)
        fail<ValueError>("resampled: a size of {} x {}; both should be positive", height, width);
    std::vector<uint8_t> pixels = picture.to_vector<uint8_t>();
    pixels = resampled_along(pixels, from[0] * from[1], from[2], width, 1);
    pixels = resampled_along(pixels, from[0], from[1], height, width);
    const DeviceScope host(cpu_device());
    return Array::from(pixels, Shape{from[0], height, width});
}

}  // namespace catena
