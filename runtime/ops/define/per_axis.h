#pragma once

#include "runtime/core/array/shape.h"

namespace catena {

/// A number for all spatial axes, or one for each: `.stride = 2` and `.stride = {2, 1}`.
class PerAxis : public Dims {
public:
    using Dims::Dims;
    PerAxis() = default;
    /// A number for each axis.
    PerAxis(const Dims& dims) : Dims(dims) {}
    /// One number for all axes.
    PerAxis(int64_t all) : Dims{all} {}
};

/// `dims` with one entry per spatial axis: a single one is repeated. ValueError naming `op` and
/// `what` when the number or a value (less than `least`) is wrong.
Dims per_axis(const char* op, const char* what, const Dims& dims, int axes, int64_t least);

}  // namespace catena
