#pragma once

#include <span>
#include <string>

#include "codegen/schedule.h"

namespace mlir {
class MLIRContext;
}
namespace catena::passes {
class Dump;
}

namespace catena::codegen {

struct CompiledKernels {
    int distinct = 0;       ///< Different kernels among those asked for.
    size_t code_bytes = 0;  ///< Of all of them.
};

/// Sets `function` of every launch: from the process-wide cache, or compiled now, all new ones in one
/// module. `dump` is shown every stage.
CompiledKernels find_or_compile(std::span<KernelLaunch> launches, mlir::MLIRContext& context,
                                passes::Dump& dump);

/// Kernels compiled since the process began.
int kernels_compiled();

}  // namespace catena::codegen
