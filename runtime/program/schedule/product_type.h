#pragma once

#include <string>
#include <string_view>

#include "runtime/program/schedule/executable.h"

namespace catena::program {

/// What a method says whose factors of float32 may be rounded to TF32 (Config::tf32).
inline constexpr std::string_view tf32_method = ", factors rounded to TF32";

/// What the product or convolution of a launch multiplies: the dtype of its result, "bfloat16", or
/// "tf32" where a library of a device said so in LaunchReport::method. Empty without one.
std::string product_type(const LaunchReport& report);

}  // namespace catena::program
