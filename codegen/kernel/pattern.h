#pragma once

#include <string>

#include "codegen/kernel/kernel.h"

namespace catena::codegen {

/// A text that is equal for two kernels exactly if they can use the same code. It contains no
/// sizes, and of strides only their classes.
std::string pattern_of(const Kernel& kernel);

}  // namespace catena::codegen
