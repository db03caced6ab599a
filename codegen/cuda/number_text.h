#pragma once

#include <cstdint>
#include <string>

namespace catena::codegen::cuda {

/// Numbers as CUDA C++ writes them.
std::string number_text(float value);
std::string number_text(double value);
std::string number_text(int64_t value);

}  // namespace catena::codegen::cuda
