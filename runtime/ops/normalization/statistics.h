#pragma once

#include "runtime/graph/op.h"

namespace catena {

// Statistics of a batch have the shape of gamma: the axes of x that are not normalised over, in
// order.

/// The axes normalised over: `axis`, or all but those of gamma, which has the axes from 1 on, as in
/// Chainer.
Axes normalized_axes(const char* name, const Axes& axis, const Variable& x, const Variable& gamma);

/// A per-key array with its axes where x has them.
Shape expanded(const Shape& x, const Axes& axis);
Shape key_shape(const Shape& x, const Axes& axis);
/// Elements of a key.
double count_of(const Shape& x, const Axes& axis);
/// The factor from the variance of `count` elements to that without bias.
double unbiased(double count);

/// decay * old + (1 - decay) * present, assigned. decay stays a run-time argument where it is a
/// cell.
void update_statistic(const Variable& state, const Variable& present, const Scalar& decay);

}  // namespace catena
