#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "frontend/static_graph/sizes/open_size.h"

namespace catena {

/// How often the user's code runs. A call that skips it uses its own arguments, hyperparameters
/// (`Cell`s) and states, but the numbers and arrays captured by the last call that ran the code.
enum class Audit {
    /// The code runs once per key. You promise that the code has no state of its own, and that its
    /// path depends on the key alone.
    never,
    /// The code runs at calls 1, 2, 4, 8, ... of a key and then every 1024th, which check the
    /// promise of `never`.
    sampled,
    always,  ///< The code runs at every call: the region always does what the code says.
};

/// How a program runs before it is compiled.
enum class CompileMode {
    now,    ///< The call waits for the compiler and runs compiled code.
    later,  ///< The first call runs the eager kernels; the second one compiles.
    /// Calls run the eager kernels until a background thread has compiled the program.
    background,
};

/// Options of static_graph.
struct StaticGraphOptions {
    std::string name = "region";  ///< The region's name in dumps and messages.
    /// How often the region's code runs beside its program.
    Audit audit = Audit::always;
    /// How a program runs before it is compiled.
    CompileMode compile_mode = CompileMode::now;
    /// Whether gradients of variables that the region also updates stay readable. Otherwise reading
    /// them is an error.
    bool keep_grads = false;
    /// Whether a host read of a computed value (item(), data(), printing) cuts the program in two.
    /// False: it is a TraceError.
    bool breaks = true;
    /// Whether inputs whose memory the code may write to without Catena noticing (ndarrays,
    /// pointers that data() gave before the call) are copied when an operation first reads them,
    /// because the program runs later. False: you promise that the code does not write to what it
    /// has read; if it does, the operations before the write may read what it wrote.
    bool watches_memory = true;
    /// Whether every call is compared with the eager kernels, operation by operation where they
    /// differ (docs/static_graph.md). Slow.
    bool verify = false;
    /// Approximate limit, in bytes, of the memory for the region's programs; the least recently
    /// used are evicted and compiled again when needed. The program in use stays.
    size_t cache_bytes = size_t(256) << 20;
    /// The most bytes of intermediate results that a program should hold at a time; 0: no limit.
    /// Under it, values that the backward pass reads late are computed a second time instead of
    /// being stored: the same bits, more time. Parameters, states, arguments and results do not
    /// count. explain() says what was reached, and what other budgets would cost.
    size_t memory_budget = 0;
};

/// Options of StaticGraph::save.
struct PackageOptions {
    /// Names of the inputs; by default "x", or "x0", "x1", ...
    std::vector<std::string> input_names = {};
    /// Names of the outputs; by default "y", or "y0", "y1", ...
    std::vector<std::string> output_names = {};
    /// Axes whose size the caller of the package chooses (dynamic axes): {{0, 0, "batch"}} is the
    /// first axis of the first input.
    std::vector<OpenSize> open_sizes = {};
    /// Instruction sets to generate code for: "avx512", "avx2", "scalar". If neither these nor
    /// devices are given: all of this architecture, or the device on which the region's arrays are.
    std::vector<std::string> code_levels = {};
    /// CUDA architectures to generate code for: "sm_90", or "compute_90" for PTX, which every later
    /// device accepts. With or without `code_levels`. Needs NVRTC but no device.
    std::vector<std::string> cuda_architectures = {};
    /// Whether the program after each stage is stored as text, for `catena show`.
    bool stages = true;
};

}  // namespace catena
