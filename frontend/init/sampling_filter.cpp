#include "frontend/init/sampling_filter.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena::initializers {
namespace {

/// The filter of `k` elements along each of `axes` axes.
std::vector<double> interpolation(int64_t k, int axes) {
    const int64_t factor = (k + 1) / 2;
    const double centre = k % 2 == 1 ? double(factor) - 1 : double(factor) - 0.5;
    std::vector<double> filter{1};
    for (int axis = 0; axis < axes; ++axis) {
        std::vector<double> wider;
        for (const double value : filter)
            for (int64_t i = 0; i < k; ++i)
                wider.push_back(value * (1 - std::abs(double(i) - centre) / double(factor)));
        filter = std::move(wider);
    }
    return filter;
}

Array fill_filters(const char* who, const Type& type, bool is_mean) {
    const Shape& shape = type.shape;
    if (shape.rank() < 3 || (shape[1] != shape[0] && shape[1] != 1))
        fail<ShapeError>("{}: fills [n, n or 1, k, ...], not {}", who, to_string(shape));
    for (int axis = 3; axis < shape.rank(); ++axis)
        if (shape[axis] != shape[2])
            fail<ShapeError>("{}: the kernel must be equally long along all axes, W is {}", who,
                             to_string(shape));
    std::vector<double> filter = interpolation(shape[2], shape.rank() - 2);
    const double sum = std::accumulate(filter.begin(), filter.end(), 0.0);
    std::vector<double> values(size_t(element_count(shape)));
    for (int64_t i = 0; i < shape[0]; ++i) {
        const size_t begin = size_t(i * shape[1] + (shape[1] == 1 ? 0 : i)) * filter.size();
        for (size_t j = 0; j < filter.size(); ++j)
            values[begin + j] = is_mean ? filter[j] / sum : filter[j];
    }
    const DeviceScope host(cpu_device());
    return Array::from(values, shape).astype(type.dtype);
}

Initializer filters(const char* name, bool is_mean, OptionalDtype dtype) {
    return Initializer(
        std::string(name) + "()",
        [=](const Type& type) { return fill_filters(name, type, is_mean); }, dtype);
}

}  // namespace

UpsamplingDeconvFilter::UpsamplingDeconvFilter(OptionalDtype dtype)
    : Initializer(filters("UpsamplingDeconvFilter", false, dtype)) {}
DownsamplingConvFilter::DownsamplingConvFilter(OptionalDtype dtype)
    : Initializer(filters("DownsamplingConvFilter", true, dtype)) {}

}  // namespace catena::initializers
