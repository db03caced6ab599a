#pragma once

#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {

/// The position of windows over the spatial axes of x.
struct Windows {
    Dims kernel, stride, dilate, before, after, positions;

    int axes() const { return kernel.rank(); }
    int64_t extent(int i) const { return (kernel[i] - 1) * dilate[i] + 1; }
    bool symmetric() const { return before == after; }
};

/// Reads windows from the attributes strides, dilations, pads, auto_pad and ceil_mode. FileError
/// when they do not match x.
Windows windows_of(const NodeCall& n, const Shape& x, const Dims& kernel);

}  // namespace catena::onnx
