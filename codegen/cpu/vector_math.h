#pragma once

#include <optional>

#include "codegen/cpu/lanes.h"

namespace catena::codegen::cpu {

/// The math function `name` ("math.exp") of scalars or vectors in plain arithmetic, the same steps as the
/// eager kernels take; nothing when LLVM or the C library is to do it.
std::optional<mlir::Value> expand_math(Lanes& lanes, llvm::StringRef name,
                                       llvm::ArrayRef<mlir::Value> arguments);

/// A call of the C library's function for `name`, lane by lane; nothing when there is none.
std::optional<mlir::Value> call_math_library(Lanes& lanes, llvm::StringRef name,
                                             llvm::ArrayRef<mlir::Value> arguments);

}  // namespace catena::codegen::cpu
