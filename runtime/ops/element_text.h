#pragma once

#include <string>

#include "runtime/ops/op.h"

namespace catena {

/// For devices that take generated kernels, what an op without formula and body computes: C++ of one element of its
/// outputs, with the names that docs/cuda.md lists. Slow, and right. Returns true, for initialisers.
bool set_element_text(const OpDef& op, std::string text);
/// "" when there is none.
const std::string& element_text_of(const OpDef& op);

}  // namespace catena
