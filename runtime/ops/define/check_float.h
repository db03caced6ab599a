#pragma once

#include <string_view>

#include "runtime/core/array/shape.h"
#include "runtime/core/system/error.h"

namespace catena {

/// DtypeError naming the operation `op` and its argument `name` unless x is of a float dtype.
inline void check_float(std::string_view op, std::string_view name, const Type& x) {
    if (!is_float(x.dtype))
        fail<DtypeError>("{}: {} should be floating point, it is {}", op, name, to_string(x));
}

}  // namespace catena
