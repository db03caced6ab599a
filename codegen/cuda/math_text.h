#pragma once

#include <string>

#include "codegen/kernel/instruction.h"

namespace catena::codegen::cuda {

/// The text of a device function of a float that takes the steps of runtime/scalar/math.h for
/// `instruction`, which must have some.
std::string math_function_text(Instruction instruction);
/// The name of the device function for `instruction`: "catena_exp".
std::string math_function_name(Instruction instruction);

}  // namespace catena::codegen::cuda
