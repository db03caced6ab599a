#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena {

/// Properties of a compiled program, for explain() and tests.
struct ExecutableInfo {
    std::string name;  ///< The region's name; that of its backward program ends in "_backward".
    int steps = 0;     ///< Launches per call: kernels plus library calls.
    int kernels = 0;   ///< The number of distinct compiled kernels.
    /// The number of calls of libraries.
    int library_calls = 0;
    int fused_ops = 0;  ///< Recorded ops fused with others into kernels.
    /// Images stored with their channels last, see runtime/core/array/memory_order.h.
    int channels_last = 0;
    int update_sweeps = 0;  ///< Launches that write assigned states.
    /// The size of the machine code.
    size_t code_bytes = 0;
    size_t bytes = 0;        ///< Approximate memory held between calls, code included.
    size_t arena_bytes = 0;  ///< Temporaries of one call, at the latest sizes.
    /// Seconds that compiling took.
    double compile_seconds = 0;
    bool is_from_disk = false;       ///< An earlier process compiled it.
    std::vector<std::string> notes;  ///< What was fused, and why the rest was not.
};

/// One launch of a program: kernels that run together, or a library call.
struct LaunchReport {
    std::string name;  ///< The user's functions: "multiply, add_scalar, tanh".
    /// The operations with their lines, each once: "tanh (chain.cpp:8)".
    std::vector<std::string> operations;
    /// Whether it is a call of a library.
    bool is_library_call = false;
    /// The number of kernels.
    int kernels = 0;
    std::string sizes;            ///< "float32[100,64]": what it computes, or goes through.
    std::vector<int> reads_from;  ///< The launches whose results it reads.
    std::string device = "cpu";   ///< Where it runs: "cuda:0".
    // Of one call, at the latest sizes:
    /// Bytes of the arrays that it reads and writes.
    double bytes_read = 0, bytes_written = 0;
    double product_operations = 0;  ///< Multiplications and additions of a product or convolution.
    // As far as calls were profiled:
    /// The number of profiled calls.
    int64_t calls = 0;
    double seconds = 0;  ///< The seconds of all of them, on the device's clock.
    /// How the last of them computed its result, if its kernel has several methods and tells:
    /// "winograd 4x4" (runtime/profile/method_span.h).
    std::string method;
};

/// A compiled program bound to the sizes it was last called with.
class Executable {
public:
    virtual ~Executable() = default;

    /// Runs the program once. `inputs` are the values of Trace::inputs, in that order; `outputs`
    /// receives fresh arrays: the values of Trace::outputs, then the new contents of
    /// Trace::assigns. Where donated[i] is true nothing else references inputs[i], and its memory
    /// may be overwritten and returned as an output.
    virtual void run(std::span<const Array> inputs, std::span<const double> scalars,
                     std::span<const bool> donated, std::span<Array> outputs) = 0;
    /// Properties of the program.
    virtual const ExecutableInfo& info() const = 0;
    /// The launches in the order in which they run. Empty for programs that keep no list of them.
    virtual std::vector<LaunchReport> launches() { return {}; }
};

}  // namespace catena
