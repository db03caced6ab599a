#pragma once

#include <set>
#include <string>

#include "codegen/cuda/layout.h"

namespace catena::codegen::cuda {

/// The text of a kernel without its name and without the helpers above it.
struct KernelText {
    /// Parameters and body: "(const __grid_constant__ Arguments<3, 4> a) { ... }".
    std::string body;
    std::set<Instruction> math;  ///< Instructions that functions of the preamble compute.
};

/// The text of a collapsed `kernel`. It contains the kernel's pattern, not its sizes, so programs
/// with equal patterns share code.
KernelText emit_kernel(const Kernel& kernel, const Layout& layout);

/// The complete kernel: `extern "C" __global__`, `name` and the text.
std::string kernel_text(const std::string& name, const KernelText& text, const Layout& layout);

}  // namespace catena::codegen::cuda
