#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "codegen/cuda/element_kernel.h"
#include "codegen/cuda/kernel_cache.h"
#include "codegen/schedule.h"
#include "runtime/program/placement.h"

namespace catena::codegen::cuda {

/// Runs a schedule on a device that takes generated kernels, one launch after another. A call
/// allocates its outputs and one block for all temporaries. Library calls go to the device's
/// launch().
class CodeExecutable : public Executable {
public:
    /// Compiles what the process has not compiled yet; CompileError with the compiler's words.
    CodeExecutable(Schedule schedule, CodeDevice& device, bool fast_math);

    /// Errors as ScheduledExecutable's; DeviceError naming both when an input lies elsewhere.
    void run(std::span<const Array> inputs, std::span<const double> scalars,
             std::span<const bool> donated, std::span<Array> outputs) override;
    /// The same into given contiguous arrays of the program's result types on the device.
    void run_into(std::span<const Array> inputs, std::span<const double> scalars,
                  std::span<const Array> outputs);
    const ExecutableInfo& info() const override { return schedule_.info; }
    const Schedule& schedule() const { return schedule_; }
    std::string text() const;  ///< Of all kernels, as they are compiled.

private:
    /// A library call with its arrays made; their storage is pointed at the call's memory.
    struct BoundCall {
        std::vector<Array> inputs, outputs;
        std::vector<double> scalars;
        std::optional<ElementCall> elements;  ///< Where no library takes it.
    };

    void compile(bool fast_math);
    void bind_kernels();
    void bind_library_calls();
    void bind_steps();
    KernelCall bound_call(size_t index);

    void execute(std::span<const double> scalars);
    void set_arguments(size_t k);

    Schedule schedule_;
    CodeDevice& device_;
    std::vector<CodeKernel> kernels_;  ///< By launch of the schedule.
    std::mutex mutex_;

    program::Placement placement_;

    std::vector<std::vector<uint64_t>>
        arguments_;                    ///< By kernel: addresses, the scalars', numbers.
    std::vector<int> scalar_indices_;  ///< Of all kernels, end to end,
    std::vector<double> scalar_values_;
    std::vector<size_t> scalar_begins_;  ///< where each kernel's begin,
    Array device_scalars_;               ///< and where they lie on the device.
    std::vector<BoundCall> calls_;

    /// Kernels between two library calls, or one such call.
    struct Step {
        int library_call = -1;
        std::vector<int> kernels;  ///< Of the schedule, one for each launch.
        std::vector<CodeDevice::Launch> launches;
        std::unique_ptr<CodeDevice::Replay> replay;
    };
    std::vector<Step> steps_;
};

}  // namespace catena::codegen::cuda
