#pragma once

#include "runtime/ops/arithmetic.h"

namespace catena {

/// What a gradient lambda returned on Variables, as a Variable: a plain number fills the shape of v.back().
inline Variable as_result(const Variable& result, std::span<const Variable>) { return result; }
Variable as_result(double number, std::span<const Variable> v);

}  // namespace catena
