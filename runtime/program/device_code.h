#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/core/code_device.h"
#include "runtime/program/device_executable.h"

namespace catena::program {

/// Kernels for one architecture: "sm_90" is code, "compute_90" PTX, "text" source (for devices that take that).
struct DeviceImage {
    std::string architecture;
    std::string code;
    std::vector<std::string> kernels;
};

/// Whether `text` is one of the three kinds above.
bool is_device_architecture(const std::string& text);

/// Which of the architectures that `there` are a device of architecture `device` runs: its own; the newest earlier one of its
/// generation, whose code it takes; the newest PTX that it takes. "" when none.
std::string best_architecture(std::span<const std::string> there, const std::string& device);

/// Loads the kernels of an image; what the process has loaded before is there already. DeviceError with the device's words.
void load_image(CodeDevice& device, const DeviceImage& image, DeviceKernels& kernels);

/// The kernel `copy_RANK_BYTES`: elements of 1, 2, 4 or 8 bytes between any strides. Every size and stride is read at run time.
KernelLaunch copy_kernel(int rank, size_t bytes);
/// Rank and width of indices of the kernels that a program brings for each size of elements: most copies are the first's.
struct CopyForm {
    int rank;
    bool wide_index;
};
inline constexpr CopyForm copy_forms[] = {{3, false}, {max_rank, true}};

/// What operations that only copy need on a device, from a program's own kernels: no compiler is asked.
class CopyProvider final : public KernelProvider {
public:
    explicit CopyProvider(const DeviceKernels& kernels) : kernels_(kernels) {}
    /// DeviceError for an operation that computes.
    void run(CodeDevice& device, const KernelCall& call) override;
    void copy(CodeDevice& device, const Array& from, const Array& to) override;
    int64_t host_calls() const override { return 0; }

private:
    const DeviceKernels& kernels_;
};

}  // namespace catena::program
