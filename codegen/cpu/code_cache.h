#pragma once

#include <span>
#include <string>

#include "codegen/compiler.h"
#include "codegen/cpu/finish.h"

namespace mlir {
class MLIRContext;
}
namespace catena::passes {
class Dump;
}

namespace catena::codegen::cpu {

struct CompiledKernels {
    int distinct = 0;       ///< Number of different kernels among those requested.
    size_t code_bytes = 0;  ///< The bytes of the requested kernels' code.
};

/// Sets `function` and `code` of every launch: from the process-wide cache, or compiled now, all
/// new ones in one module. The least recently used kernels are evicted beyond the limit. `dump`
/// receives every stage.
CompiledKernels find_or_compile(std::span<const WantedKernel> wanted, mlir::MLIRContext& context,
                                passes::Dump& dump);

/// Number of kernels compiled since the process began.
int kernels_compiled();

KernelCacheState kernel_cache_state();
/// Sets the limit of the cached code in bytes, not counting code owned by programs. Initially it is
/// CATENA_KERNEL_CACHE_MB, default 256 MB.
void set_kernel_cache_limit(size_t bytes);

}  // namespace catena::codegen::cpu
