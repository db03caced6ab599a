#pragma once

#include "codegen/cuda/kernel_cache.h"
#include "runtime/program/run/element_call.h"

namespace catena::codegen::cuda {

/// The kernels, one a pass, of a call whose op declares element texts
/// (runtime/ops/declare/device_form.h). The names that these texts may use are in docs/cuda.md.
struct ElementKernels {
    program::ElementLaunches launches;  ///< The launches; their symbols are set by take_names().
    std::vector<CodeKernel> kernels;

    void add_to(std::vector<CodeKernel*>& wanted);
    /// Sets the symbols, after the kernels have got their names.
    void take_names();
    std::vector<const void*> handles() const;
};

/// The kernels for calls with the types and attributes of `call`; nothing else of it is read.
ElementKernels element_kernels(const KernelCall& call);

}  // namespace catena::codegen::cuda
