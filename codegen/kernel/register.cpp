#include "codegen/kernel/register.h"

namespace catena::codegen {

const char* name_of(Register r) {
    constexpr const char* names[] = {"truth", "i64", "f32", "f64"};
    return names[int(r)];
}

Register natural_register(Dtype dtype) {
    if (dtype == Dtype::bool_) return Register::truth;
    if (is_integer(dtype)) return Register::i64;
    return dtype == Dtype::float64 ? Register::f64 : Register::f32;
}

Dtype dtype_of_register(Register r) {
    switch (r) {
        case Register::truth:
            return Dtype::bool_;
        case Register::i64:
            return Dtype::int64;
        case Register::f32:
            return Dtype::float32;
        default:
            return Dtype::float64;
    }
}

}  // namespace catena::codegen
