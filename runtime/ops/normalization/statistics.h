#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

// Statistics of a batch have the shape of gamma: the axes of x that are not normalised over, in
// order.

/// The axes that are averaged over: `axis`, or all but those of gamma, which has the axes from 1
/// on, as in Chainer.
Axes normalized_axes(const char* name, const Axes& axis, const Variable& x, const Variable& gamma);

/// The shape of an array with one number per key (channel), with its axes where x has them and size
/// 1 elsewhere.
Shape expanded(const Shape& x, const Axes& axis);
Shape key_shape(const Shape& x, const Axes& axis);
/// The number of elements that are averaged for a key (channel).
double count_of(const Shape& x, const Axes& axis);
/// The factor that turns the biased variance of `count` elements into the unbiased one.
double unbiased(double count);

/// Assigns decay * old + (1 - decay) * present to a running statistic. decay stays a run-time
/// argument where it is a cell.
void update_statistic(const Variable& state, const Variable& present, const Scalar& decay);

}  // namespace catena
