#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "frontend/static_graph/sizes/open_size.h"

namespace catena {

/// How often the user's code runs. A call that skips it uses its own arguments, hyperparameters
/// (`Cell`s) and states, but the numbers and arrays captured by the last call that ran the code.
enum class Audit {
    never,    ///< Once per key. You promise: the code has no state of its own, its path depends on
              ///< the key alone.
    sampled,  ///< At calls 1, 2, 4, 8, ... and then every 1024th of a key. The same promise,
              ///< checked at these calls.
    always,   ///< At every call: the region does what the code says.
};

/// How a new program is run.
enum class CompileMode {
    now,         ///< Compiled code: the call waits for the compiler.
    later,       ///< The eager kernels; compiled at its second call.
    background,  ///< The eager kernels, until a background thread has compiled it.
};

struct StaticGraphOptions {
    std::string name = "region";  ///< The region's name in dumps and messages.
    Audit audit = Audit::always;
    CompileMode compile_mode = CompileMode::now;
    /// Keep the gradients of variables that the region also updates. Otherwise reading them is an
    /// error.
    bool keep_grads = false;
    /// A host read of a computed value (item(), data(), printing) cuts the program in two. False:
    /// it is a TraceError.
    bool breaks = true;
    /// Inputs whose memory the code may write to without Catena noticing (ndarrays, pointers that
    /// data() gave before the call) are copied when an operation first reads them, because the
    /// program runs later. False: you promise that the code does not write to what it has read;
    /// if it does, the operations before the write may read what it wrote.
    bool watches_memory = true;
    /// Compare every call with the eager kernels, operation by operation where they differ
    /// (docs/static_graph.md). Slow.
    bool verify = false;
    /// Approximate limit of the memory for the region's programs; the least recently used are
    /// evicted and compiled again when needed. The program in use is kept.
    size_t cache_bytes = size_t(256) << 20;
    /// Bytes of intermediate results that a program should hold at a time; 0: no limit. Under it,
    /// what the backward pass reads late is computed a second time instead of being kept: the same
    /// bits, more time. Parameters, states, arguments and results do not count. explain() says what
    /// was reached, and what other budgets would cost.
    size_t memory_budget = 0;
};

/// Options of StaticGraph::save.
struct PackageOptions {
    std::vector<std::string> input_names = {};   ///< Default "x", or "x0", "x1", ...
    std::vector<std::string> output_names = {};  ///< Default "y", or "y0", "y1", ...
    std::vector<OpenSize> open_sizes =
        {};  ///< {{0, 0, "batch"}}: the first axis of the first input is the caller's choice.
    /// Instruction sets to generate code for: "avx512", "avx2", "scalar". If neither these nor
    /// devices are given: all of this architecture, or the device on which the region's arrays are.
    std::vector<std::string> code_levels = {};
    /// CUDA architectures to generate code for: "sm_90", or "compute_90" for PTX, which every later
    /// device accepts. With or without `code_levels`. Needs NVRTC but no device.
    std::vector<std::string> cuda_architectures = {};
    bool stages = true;  ///< Store the program after each stage as text, for `catena show`.
};

}  // namespace catena
