#pragma once

#include <optional>

#include "codegen/cpu/lanes.h"

namespace catena::codegen::cpu {

/// `instruction` of scalars or vectors of float32 in plain arithmetic, the same steps as the eager
/// kernels take; nothing when LLVM or the C library is to do it.
std::optional<mlir::Value> expand_math(Lanes& lanes, Instruction instruction,
                                       llvm::ArrayRef<mlir::Value> arguments);

/// A call of the C library's function, lane by lane; nothing when there is none.
std::optional<mlir::Value> call_math_library(Lanes& lanes, Instruction instruction,
                                             llvm::ArrayRef<mlir::Value> arguments);

}  // namespace catena::codegen::cpu
