#pragma once

#include "runtime/ops/declare/device_form.h"

namespace catena {

// How searches, sorts and running sums along attribute "axis" are computed on devices.

/// The first index of the best element; `better` is "<" or ">". Long lines are searched in pieces.
ElementProgram arg_elements(const KernelCall& call, const char* better, Threads threads);
ElementProgram argsort_elements(const KernelCall& call, Threads threads);
/// Its first elements, as many as the result has of the axis.
ElementProgram argsort_first_elements(const KernelCall& call, Threads threads);
/// In the order of the elements, like the host; for many threads long lines in pieces of 256, whose
/// totals are added afterwards.
ElementProgram cumsum_elements(const KernelCall& call, Threads threads);

}  // namespace catena
