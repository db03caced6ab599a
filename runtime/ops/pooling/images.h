#pragma once

#include <string>

#include "runtime/core/system/error.h"
#include "runtime/graph/variable/variable.h"
#include "runtime/ops/define/check_float.h"

namespace catena {

/// DtypeError or ShapeError naming `op` unless x is floating point and [N, C, ...] with `axes`
/// further axes (0: one or more).
inline void check_images(const char* op, const Variable& x, int axes) {
    check_float(op, "x", x.type());
    if (x.rank() < 3 || (axes > 0 && x.rank() != axes + 2))
        fail<ShapeError>("{}: x should be [N,C,...] with {} further axes, it is {}", op,
                         axes > 0 ? std::to_string(axes) : "some", to_string(x.shape()));
}

}  // namespace catena
