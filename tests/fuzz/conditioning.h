#pragma once

#include <functional>

#include "tests/fuzz/function_program.h"

namespace catena::fuzz {

/// Whether each element of `found` lies, within 16 times their spread, among those that `run` gives
/// for inputs that are rounded otherwise: a difference of large squares has no more digits than
/// that. NaN or infinite where `found` is finite, and the other way round, only if rounding changes
/// that in `run`, too.
bool follows_from_rounded_inputs(const std::function<Array(const Values& inputs)>& run,
                                 const Values& inputs, const Array& found);

}  // namespace catena::fuzz
