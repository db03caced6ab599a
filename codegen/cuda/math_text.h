#pragma once

#include <string>
#include <string_view>

namespace catena::codegen::cuda {

/// A device function of a float that takes the steps of runtime/scalar/math.h; "" when that has no
/// such function. `name` is the dialect's: "math.exp".
std::string math_function_text(std::string_view name);
bool has_math_function(std::string_view name);
std::string math_function_name(std::string_view name);  ///< "catena_exp"

}  // namespace catena::codegen::cuda
