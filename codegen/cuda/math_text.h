#pragma once

#include <string>

#include "codegen/kernel/instruction.h"

namespace catena::codegen::cuda {

/// A device function of a float that takes the steps of runtime/scalar/math.h for `instruction`,
/// which has some.
std::string math_function_text(Instruction instruction);
std::string math_function_name(Instruction instruction);  ///< "catena_exp"

}  // namespace catena::codegen::cuda
