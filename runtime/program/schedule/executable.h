#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena {

/// Properties of a compiled program, for explain() and tests.
struct ExecutableInfo {
    std::string name;  ///< The region's, with "_backward" for its gradients.
    int steps = 0;     ///< Launches per call: kernels plus library calls.
    int kernels = 0;   ///< Distinct compiled kernels.
    int library_calls = 0;
    int fused_ops = 0;  ///< Recorded ops fused with others into kernels.
    int channels_last =
        0;  ///< Images stored with their channels last, see runtime/core/array/memory_order.h.
    int update_sweeps = 0;  ///< Launches that write assigned states.
    size_t code_bytes = 0;
    size_t bytes = 0;        ///< Approximate memory held between calls, code included.
    size_t arena_bytes = 0;  ///< Temporaries of one call, at the latest sizes.
    double compile_seconds = 0;
    bool is_from_disk = false;       ///< An earlier process compiled it.
    std::vector<std::string> notes;  ///< What was fused, and why the rest was not.
};

/// One launch of a program: kernels that run together, or a library call.
struct LaunchReport {
    std::string name;  ///< The user's functions: "multiply, add_scalar, tanh".
    std::vector<std::string>
        operations;  ///< The same with their lines, each once: "tanh (chain.cpp:8)".
    bool is_library_call = false;
    int kernels = 0;
    std::string sizes;            ///< "float32[100,64]": what it computes, or goes through.
    std::vector<int> reads_from;  ///< The launches whose results it reads.
    std::string device = "cpu";   ///< Where it runs: "cuda:0".
    // Of one call, at the latest sizes:
    double bytes_read = 0, bytes_written = 0;
    double product_operations = 0;  ///< Multiplications and additions of a product or convolution.
    // As far as calls were profiled:
    int64_t calls = 0;
    double seconds = 0;  ///< Of all of them, on the device's clock.
    /// How the last of them computed its result, if its kernel has several methods and tells:
    /// "winograd 4x4" (runtime/profile/method_span.h).
    std::string method;
};

/// A compiled program bound to the sizes it was last called with.
class Executable {
public:
    virtual ~Executable() = default;

    /// Inputs as Trace::inputs says. Outputs: first Trace::outputs, then the new content of each
    /// Trace::assigns, as fresh arrays. donated[i]: nothing else references inputs[i], so its
    /// memory may be overwritten and returned as an output.
    virtual void run(std::span<const Array> inputs, std::span<const double> scalars,
                     std::span<const bool> donated, std::span<Array> outputs) = 0;
    virtual const ExecutableInfo& info() const = 0;
    /// In the order in which they run. Empty for programs that do not know.
    virtual std::vector<LaunchReport> launches() { return {}; }
};

}  // namespace catena
