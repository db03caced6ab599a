#pragma once

#include <optional>

#include "codegen/cpu/lanes.h"

namespace catena::codegen::cpu {

/// Emits `instruction` for scalars or vectors of float32 in plain arithmetic, with the steps of the
/// eager kernels; nothing when LLVM or the C library should do it.
std::optional<mlir::Value> expand_math(Lanes& lanes, Instruction instruction,
                                       llvm::ArrayRef<mlir::Value> arguments);

/// Emits a call of the C library's function, lane by lane; nothing when there is none.
std::optional<mlir::Value> call_math_library(Lanes& lanes, Instruction instruction,
                                             llvm::ArrayRef<mlir::Value> arguments);

}  // namespace catena::codegen::cpu
