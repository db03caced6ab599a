#pragma once

#include <vector>

#include "runtime/graph/op.h"

namespace catena {

// Reading images at places that arrays name: between -1 and 1 along each axis, where these are the
// outermost elements (align_corners) or the borders.

/// x sampled at a grid [N, places, axes], the last axis of x first; x is [N, C, sizes of the axes],
/// the result [N, C, places]. Gradients flow to x and the grid.
struct GridSampling {
    enum class Kind { nearest, linear, cubic } kind = Kind::linear;
    enum class Outside { zeros, border, reflection } outside = Outside::zeros;
    bool align_corners = true;
};
Variable grid_sample(const Variable& x, const Variable& grid, const GridSampling& options);

/// What theta [N, k, k + 1], affine maps of k axes, make of every element of an array of `shape`:
/// [N, k, elements], the last axis first.
Variable affine_grid(const Variable& theta, const Shape& shape, bool align_corners);

/// One neighbour of every place along an axis.
struct Tap {
    Variable index;   ///< int64, within the axis.
    Variable weight;  ///< 0 where the neighbour is outside.
};
/// The two neighbours of places given as fractional indices.
std::vector<Tap> linear_taps(const Variable& x, int64_t size);

}  // namespace catena
