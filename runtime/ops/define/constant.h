#pragma once

#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

/// An array of numbers that the host knows, on the device of `like`; on the host if `like` has no
/// elements, so that recorders see them.
template <class T>
Variable constant(const std::vector<T>& values, const Shape& shape, const Variable& like) {
    const DeviceScope beside(like.device().is_meta() ? cpu_device() : like.device());
    return Variable(Array::from(values, shape), false);
}

/// The numbers begin, begin + 1, ...: `count` int64 along the first of `rank` axes, the others have
/// size 1.
inline Variable counting(int64_t begin, int64_t count, const Variable& like, int rank = 1) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(begin + i);
    Shape shape = Shape::filled(rank, 1);
    shape[0] = count;
    return constant(values, shape, like);
}

}  // namespace catena
