#include "runtime/core/dtype/dtype.h"

#include <array>
#include <string>
#include <utility>

#include "runtime/core/dtype/half.h"
#include "runtime/core/system/error.h"

namespace catena {

namespace {

constexpr std::array<std::string_view, dtype_count> dtype_names = {
    "bool",  "int8",    "int16",    "int32",   "int64",
    "uint8", "float16", "bfloat16", "float32", "float64"};

}  // namespace

std::string_view name_of(Dtype dtype) { return dtype_names[size_t(dtype)]; }

Dtype parse_dtype(std::string_view name) {
    std::string known;
    for (size_t i = 0; i < dtype_names.size(); ++i) {
        if (dtype_names[i] == name) return Dtype(i);
        known += (known.empty() ? "" : ", ") + std::string(dtype_names[i]);
    }
    fail<DtypeError>("'{}' is not a dtype; there are {}", name, known);
}

Dtype promote(Dtype a, Dtype b) {
    if (a == b) return a;
    if (a > b) std::swap(a, b);  // In the order of the enum: bool, signed, uint8, floats.
    if (a == Dtype::bool_) return b;
    if (is_float(b)) {
        if (!is_float(a)) return b;
        return b == Dtype::bfloat16 ? Dtype::float32 : b;  // a can only be float16 there.
    }
    if (b == Dtype::uint8) return a == Dtype::int8 ? Dtype::int16 : a;
    return b;
}

Dtype compute_dtype(Dtype dtype) {
    if (dtype == Dtype::float64) return dtype;
    return is_float(dtype) ? Dtype::float32 : Dtype::int64;
}

Half::Half(float value) : bits(float_to_half_bits(value)) {}
Half::operator float() const { return half_bits_to_float(bits); }
BFloat16::BFloat16(float value) : bits(float_to_bfloat16_bits(value)) {}
BFloat16::operator float() const { return bfloat16_bits_to_float(bits); }

}  // namespace catena
