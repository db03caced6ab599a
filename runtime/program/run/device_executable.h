#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/core/array/code_device.h"
#include "runtime/program/run/element_call.h"
#include "runtime/program/run/launch_times.h"
#include "runtime/program/run/recorded_work.h"
#include "runtime/program/schedule/placement.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// Kernels that a device has loaded, by name.
using DeviceKernels = std::map<std::string, const void*>;

/// Runs a schedule on a device with generated kernels, one launch after another. A call
/// allocates its outputs and one block for all temporaries. Library calls use a vendor library,
/// else their element texts, else the device's launch().
class DeviceExecutable : public Executable {
public:
    /// Kernels of the schedule must have a DeviceForm. FileError naming a kernel that `kernels`
    /// lacks, or whose index type is too narrow.
    DeviceExecutable(Schedule schedule, CodeDevice& device, const DeviceKernels& kernels);

    /// Errors as ScheduledExecutable's; DeviceError naming both devices when an input is on another
    /// one.
    void run(std::span<const Array> inputs, std::span<const double> scalars,
             std::span<const bool> donated, std::span<Array> outputs) override;
    /// Runs into given contiguous arrays of the program's result types on the device.
    void run_into(std::span<const Array> inputs, std::span<const double> scalars,
                  std::span<const Array> outputs);
    const ExecutableInfo& info() const override { return schedule_.info; }
    std::vector<LaunchReport> launches() override;
    const Schedule& schedule() const { return schedule_; }

private:
    /// A library call with its arrays, whose storage is set to the memory of each call.
    struct BoundCall {
        std::vector<Array> inputs, outputs;
        std::vector<double> scalars;
        std::optional<ElementCall> elements;
        bool in_library = false;
    };

    void bind_kernels();
    void bind_library_calls(const DeviceKernels& kernels);
    void bind_steps(const DeviceKernels& kernels);
    KernelCall bound_call(size_t index);

    void execute(std::span<const double> scalars);
    bool execute_recorded(std::span<const double> scalars);
    void list_work();
    void execute_timed(std::span<const double> scalars);
    void run_library_call(size_t index, std::span<const double> scalars);
    void upload_scalars(std::span<const double> scalars);
    void set_arguments(size_t k, std::span<const double> scalars);

    Schedule schedule_;
    CodeDevice& device_;
    std::mutex mutex_;

    Placement placement_;

    /// Per kernel: addresses, that of the scalars, numbers, scalars.
    std::vector<std::vector<uint64_t>> arguments_;
    // Kernels that do not take their scalars by value read them from one array on the device, in
    // which the scalars of one kernel follow those of the other:
    std::vector<int> scalar_indices_;    ///< Index in the program's scalars of each element.
    std::vector<double> scalar_values_;  ///< The values of one call, on the host.
    std::vector<size_t> scalar_begins_;  ///< Position of each kernel's first scalar.
    Array device_scalars_;               ///< The values, on the device.
    std::vector<BoundCall> calls_;

    /// Kernels between two library calls, or one such call.
    struct Step {
        int library_call = -1;
        size_t launch = 0;         ///< The first launch of the schedule.
        std::vector<int> kernels;  ///< The kernel of each launch of the schedule.
        std::vector<CodeDevice::Launch> launches;
        std::unique_ptr<CodeDevice::Replay> replay;
    };
    std::vector<Step> steps_;
    /// The steps, for recorded_; empty where they are not recorded.
    std::vector<CodeDevice::Work> work_;
    // A recording of the device's work can be used again while the library calls in it would get
    // the same arguments: the addresses of these buffers and the values of these scalars of the
    // program (each listed once).
    std::vector<int> called_buffers_, called_scalars_;
    std::vector<uint64_t> key_;
    std::span<const double> scalars_;  ///< The scalars of the call that runs.
    RecordedWork recorded_;
    std::unique_ptr<LaunchTimes> times_;  ///< Once a call was profiled.
};

}  // namespace catena::program
