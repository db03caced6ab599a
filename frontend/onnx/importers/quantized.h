#pragma once

#include "frontend/onnx/importer.h"

namespace catena::onnx {

/// The numbers on which quantized values lie: a scale and a zero point, each one number, one along
/// an axis, or undefined.
struct Grid {
    Variable scale, zero;
};

/// The real numbers (q - zero) * scale as float32; list-like parameters are along `axis`.
Variable real_of(const NodeCall& n, const Variable& q, const Grid& grid, int axis = 1);
/// x quantized to the grid, in the zero point's dtype (uint8 without one): rounded to the nearest,
/// ties to even, and clamped.
Variable on_grid(const NodeCall& n, const Variable& x, const Grid& grid);
/// The uint8 grid that covers all of x and 0, as DynamicQuantizeLinear chooses it.
Grid grid_of(const Variable& x);

}  // namespace catena::onnx
