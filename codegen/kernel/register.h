#pragma once

#include <cstdint>

#include "runtime/core/dtype/dtype.h"

namespace catena::codegen {

/// The register type of an element between load and store.
enum class Register : uint8_t { truth, i64, f32, f64 };
const char* name_of(Register r);

/// The register type of a loaded element: bool to truth, integers to i64, 16-bit floats to f32.
Register natural_register(Dtype dtype);

/// The dtype with which a register type is stored.
Dtype dtype_of_register(Register r);

}  // namespace catena::codegen
