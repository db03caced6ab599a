#pragma once

#include "codegen/cuda/kernel_cache.h"

namespace catena::codegen::cuda {

/// A call of an op that has an element text (runtime/ops/element_text.h), as a kernel.
struct ElementKernel {
    CodeKernel kernel;
    std::vector<int64_t> numbers;  ///< Sizes of inputs and outputs, then numbers of the attributes.
};

/// The kernel writes element i of the outputs in thread i. What the op's text may use, besides `i`:
///     x0(k), x1(k), ...    element k of an input, row-major, as T: the type that output 0 is
///     computed in y0(k, v), ...        sets element k of an output p0, p1, ...          the
///     inputs' memory, as it is stored x0_size[d], x0_rank  sizes, also of y0; rank is a constant
///     NAME                 an attribute: a number, or numbers for dims; texts and real numbers are
///     not there
ElementKernel element_kernel(const KernelCall& call);

}  // namespace catena::codegen::cuda
