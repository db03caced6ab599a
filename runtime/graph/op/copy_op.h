#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// The op that gives its input in memory of its own (defined in runtime/ops/array/rearrange.cpp).
/// To a program that is nothing to compute: whether two of its results may lie in one buffer is
/// decided with the results (codegen/build_schedule.cpp).
const OpDef& copy_op();

}  // namespace catena
