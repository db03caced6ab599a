#pragma once

#include "codegen/cuda/kernel_cache.h"
#include "runtime/program/run/element_call.h"

namespace catena::codegen::cuda {

/// A call of an op that says how its elements are computed (runtime/ops/declare/device_form.h), as
/// kernels: one a pass. The names that its texts may use are in docs/cuda.md.
struct ElementKernels {
    program::ElementLaunches launches;  ///< Symbols are set when names are.
    std::vector<CodeKernel> kernels;

    void add_to(std::vector<CodeKernel*>& wanted);
    void take_names();  ///< After the kernels have theirs.
    std::vector<const void*> handles() const;
};

/// Only types and attributes of `call` are read.
ElementKernels element_kernels(const KernelCall& call);

}  // namespace catena::codegen::cuda
