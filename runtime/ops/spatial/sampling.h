#pragma once

#include <vector>

#include "runtime/graph/op/op.h"

namespace catena {

// Reading images at places that arrays name: between -1 and 1 along each axis, where these are the
// outermost elements (align_corners) or the borders.

/// Samples x [N, C, sizes of the axes] at a grid [N, places, axes], in which the last axis of x
/// comes first; the result is [N, C, places]. Gradients flow to x and the grid.
struct GridSampling {
    enum class Kind { nearest, linear, cubic } kind = Kind::linear;
    enum class Outside { zeros, border, reflection } outside = Outside::zeros;
    bool align_corners = true;
};
Variable grid_sample(const Variable& x, const Variable& grid, const GridSampling& options);

/// The places of every element of an array of `shape` under theta [N, k, k + 1], affine maps of k
/// axes: [N, k, elements], the last axis first.
Variable affine_grid(const Variable& theta, const Shape& shape, bool align_corners);

/// One of the neighbours, along an axis, of every place.
struct Tap {
    Variable index;   ///< The neighbour's index, int64, within the axis.
    Variable weight;  ///< The neighbour's weight; 0 where it is outside.
};
/// The two neighbours of places that are given as fractional indices.
std::vector<Tap> linear_taps(const Variable& x, int64_t size);

}  // namespace catena
