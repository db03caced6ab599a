#pragma once

#include <set>
#include <string>

#include "codegen/cuda/layout.h"

namespace catena::codegen::cuda {

/// A kernel's text without its name and without what stands above it.
struct KernelText {
    std::string body;            ///< "(const __grid_constant__ Arguments<3, 4> a) { ... }"
    std::set<Instruction> math;  ///< Computed by functions of the preamble.
};

/// `kernel` is collapsed. The text knows its pattern, not its sizes: programs that share it share
/// the code.
KernelText emit_kernel(const Kernel& kernel, const Layout& layout);

/// `extern "C" __global__` and the rest, under `name`.
std::string kernel_text(const std::string& name, const KernelText& text, const Layout& layout);

}  // namespace catena::codegen::cuda
