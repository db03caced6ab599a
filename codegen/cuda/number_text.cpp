#include "codegen/cuda/number_text.h"

#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "codegen/kernel/hex_float.h"

namespace catena::codegen::cuda {

std::string number_text(float value) {
    if (!std::isfinite(value))
        return fmt::format("__int_as_float({:#x})", std::bit_cast<int32_t>(value));
    return hex_float(value) + "f";
}

std::string number_text(double value) {
    if (!std::isfinite(value))
        return fmt::format("__longlong_as_double({:#x}ll)", std::bit_cast<int64_t>(value));
    return hex_float(value);
}

std::string number_text(int64_t value) {
    if (value == std::numeric_limits<int64_t>::min()) return "(-9223372036854775807ll - 1)";
    return fmt::format("{}ll", value);
}

}  // namespace catena::codegen::cuda
