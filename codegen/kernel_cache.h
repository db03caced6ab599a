#pragma once

#include <span>
#include <string>

#include "codegen/compiler.h"
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

/// Sets `function` and `code` of every launch: from the process-wide cache, or compiled now, all new ones in one
/// module. The cache forgets what was longest unused when it passes its bound. `dump` is shown every stage.
CompiledKernels find_or_compile(std::span<KernelLaunch> launches, mlir::MLIRContext& context,
                                passes::Dump& dump);

/// Kernels compiled since the process began.
int kernels_compiled();

KernelCacheState kernel_cache_state();
/// Bytes of code that the cache keeps at most, beside what programs hold. At first what CATENA_KERNEL_CACHE_MB says, or 256 MB.
void set_kernel_cache_limit(size_t bytes);

}  // namespace catena::codegen
