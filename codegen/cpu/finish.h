#pragma once

#include <vector>

#include "codegen/cpu/processor.h"
#include "codegen/draft.h"

namespace catena::codegen::cpu {

/// Choices of code generation that are part of a kernel's identity.
struct KernelOptions {
    bool fast_math = false;
    bool streaming = false;    ///< Non-temporal stores.
    bool row_scratch = false;  ///< Keeps values of a row between its stages, see RowScratch.
    int rows_ahead = 0;  ///< While a row is worked on again, the one so many further on is fetched
                         ///< from memory; 0: none.
};

/// A kernel whose code is wanted; it points into a draft.
struct WantedKernel {
    const Kernel* kernel = nullptr;
    KernelLaunch* launch = nullptr;
    KernelOptions options;
};

struct FinishOptions {
    bool fast_math = false;
    bool streaming =
        true;  ///< Large outputs may use non-temporal stores: for sizes of whole vectors only.
};

/// Adds to the draft's launches what a processor needs beside their geometry: costs, scratch
/// memory, and the keys of their code. They are returned in order.
std::vector<WantedKernel> finish(Draft& draft, const FinishOptions& options);

/// A text that is equal for two kernels exactly if they can use the same code.
std::string kernel_key(const Kernel& kernel, const KernelOptions& options,
                       const Processor& processor);

/// When reductions are split into two launches. With open sizes, only splits that do not depend on
/// them.
SplitRule split_rule(bool any_size);

}  // namespace catena::codegen::cpu
