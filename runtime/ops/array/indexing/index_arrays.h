#pragma once

#include "runtime/graph/op/op.h"
#include "runtime/ops/declare/checked_ranges.h"

namespace catena {

// What operations with arrays of indices among their inputs share: the array is the first input,
// indices follow.

/// DtypeError that names op and argument unless the dtype is an integer.
void check_integer(const char* op, const char* argument, Dtype dtype);
/// The ranges in which the indices along `axes` of an array of `shape` must be; the index arrays
/// are the operands from 1 on.
CheckedRanges places_in(const Shape& shape, const Attributes& attributes, const Axes& axes);
/// The gradients of all inputs of an op whose first input alone has one.
Variables only_first(const GradientCall& g, Variable gradient);
/// The reads of a gradient that needs all inputs but the first.
Reads reads_indices(int, int input_count);

}  // namespace catena
