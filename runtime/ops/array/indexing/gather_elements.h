#pragma once

#include "runtime/ops/declare/device_form.h"

namespace catena {

// How gathers and scatters are computed on devices; attributes as in indexing.cpp. An index out of
// range is reported by the device, its element is 0 or is not added.

ElementProgram gather_elements(const KernelCall& call);
/// The element texts of scatter_add. For many threads, indices are sorted by their target, and each
/// element sums its sources in order: deterministic, without atomics.
ElementProgram scatter_elements(const KernelCall& call, Threads threads);
/// The element texts of a scatter onto input 0 instead of zeros; the other inputs follow.
ElementProgram scatter_onto_elements(const KernelCall& call, Threads threads);
extern const char* const take_along_axis_text;
extern const char* const add_along_axis_text;
extern const char* const one_hot_text;

}  // namespace catena
