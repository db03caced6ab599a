#pragma once

#include <vector>

#include "codegen/cpu/processor.h"
#include "codegen/draft.h"

namespace catena::codegen::cpu {

/// Choices of code generation that are part of a kernel's identity.
struct KernelOptions {
    bool fast_math = false;
    bool streaming = false;  ///< Whether stores are non-temporal (write past the caches).
    /// Whether values of a row are stored between its stages, see RowScratch.
    bool row_scratch = false;
    /// The distance, in rows, at which rows are prefetched while a row is processed; 0: no
    /// prefetching.
    int rows_ahead = 0;
};

/// A kernel whose code is needed; it points into a draft.
struct WantedKernel {
    const Kernel* kernel = nullptr;
    KernelLaunch* launch = nullptr;
    KernelOptions options;
};

struct FinishOptions {
    bool fast_math = false;
    /// Whether large outputs may use non-temporal stores: only for sizes of whole vectors.
    bool streaming = true;
};

/// Completes the draft's launches with what a processor needs beside their geometry: costs, scratch
/// memory, and the keys of their code. Returns the kernels in order.
std::vector<WantedKernel> finish(Draft& draft, const FinishOptions& options);

/// A text that is equal for two kernels exactly if they can use the same code.
std::string kernel_key(const Kernel& kernel, const KernelOptions& options,
                       const Processor& processor);

/// The rule for splitting reductions into two launches. With open sizes, only splits that do not
/// depend on them.
SplitRule split_rule(bool any_size);

}  // namespace catena::codegen::cpu
