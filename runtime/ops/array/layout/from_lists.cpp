#include "runtime/ops/array/layout/from_lists.h"

#include "runtime/core/system/error.h"

namespace catena {

Array array(const Array& x, std::optional<Dtype> dtype) {
    return dtype && *dtype != x.dtype() ? x.astype(*dtype) : x.copy();
}
Array asarray(const Array& x, std::optional<Dtype> dtype) { return dtype ? x.astype(*dtype) : x; }

namespace detail {

void fail_of_length(size_t length, int level, int64_t first) {
    fail<ShapeError>(
        "array: a list of {} elements at level {}, the first one there has {}; lengths must be "
        "equal",
        length, level, first);
}

Array of_elements(const std::vector<bool>& values, const Shape& shape, std::optional<Dtype> dtype) {
    return of_elements(std::vector<uint8_t>(values.begin(), values.end()), shape,
                       dtype.value_or(Dtype::bool_));
}

}  // namespace detail

}  // namespace catena
