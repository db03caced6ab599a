#pragma once

#include "runtime/ops/declare/device_form.h"

namespace catena {

// How searches, sorts and running sums along attribute "axis" are computed on devices.

/// The element texts of argmax and argmin: the first index of the best element; `better` is "<" or
/// ">". Long lines are searched in pieces.
ElementProgram arg_elements(const KernelCall& call, const char* better, Threads threads);
ElementProgram argsort_elements(const KernelCall& call, Threads threads);
/// The element texts of argsort_first: the first indices of argsort, as many as the result has
/// along the axis.
ElementProgram argsort_first_elements(const KernelCall& call, Threads threads);
/// The element texts of cumsum, which add in the order of the elements, like the host. For many
/// threads long lines are divided into pieces of 256, whose totals are added afterwards.
ElementProgram cumsum_elements(const KernelCall& call, Threads threads);

}  // namespace catena
