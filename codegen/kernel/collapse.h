#pragma once

#include "runtime/program/schedule/kernel_geometry.h"

namespace catena::codegen {

/// Makes the channels the innermost dimension if an operand that spans the domain has its channels
/// last and every result can be stored so.
void walk_channels_last(program::KernelGeometry& geometry);

/// Drops dimensions of size 1 and merges neighbours wherever every operand allows. At least one
/// dimension remains.
void collapse(program::KernelGeometry& geometry);

}  // namespace catena::codegen
