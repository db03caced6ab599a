#pragma once

#include <string>

#include "codegen/kernel/kernel.h"

namespace catena::codegen {

/// A text that is equal for two kernels exactly if they can use the same code: no sizes, of strides
/// their classes.
std::string pattern_of(const Kernel& kernel);

}  // namespace catena::codegen
