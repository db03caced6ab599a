#pragma once

#include "codegen/cuda/kernel_cache.h"

namespace catena::codegen::cuda {

/// A call of an op that says how its elements are computed (runtime/ops/element_text.h), as kernels. The names that its
/// texts may use are in docs/cuda.md.
class ElementCall {
public:
    /// Only types and attributes of `call` are read; its inputs will be contiguous when it runs.
    explicit ElementCall(const KernelCall& call);

    std::vector<CodeKernel*> kernels();  ///< To be compiled before launch().
    /// All arrays lie on `device`, outputs are contiguous.
    void launch(CodeDevice& device, const KernelCall& call) const;

private:
    std::vector<CodeKernel> kernels_;
    std::vector<std::vector<int64_t>> numbers_;  ///< By kernel: its count, sizes, attributes, scalars, the site.
    int64_t scratch_ = 0;
};

}  // namespace catena::codegen::cuda
