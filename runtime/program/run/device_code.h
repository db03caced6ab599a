#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/core/array/code_device.h"
#include "runtime/program/run/device_executable.h"

namespace catena::program {

/// Kernels for one architecture: "sm_90" is code, "compute_90" PTX, "text" source (for devices that
/// accept it).
struct DeviceImage {
    std::string architecture;
    std::string code;
    std::vector<std::string> kernels;
};

/// Whether `text` has one of these three forms.
bool is_device_architecture(const std::string& text);

/// The best of the architectures in `there` for a device: its own; the newest earlier one of the
/// same major version; the newest PTX that it accepts. "" if none.
std::string best_architecture(std::span<const std::string> there, const std::string& device);

/// Loads the kernels of an image, unless the process has loaded it before. DeviceError with the
/// driver's message.
void load_image(CodeDevice& device, const DeviceImage& image, DeviceKernels& kernels);

/// The kernel `copy_RANK_BYTES`: elements of 1, 2, 4 or 8 bytes between any strides. Every size and
/// stride is read at run time.
KernelLaunch copy_kernel(int rank, size_t bytes);
/// Rank and index width of the copy kernels that a program contains per element size, the most
/// common first.
struct CopyForm {
    int rank;
    bool wide_index;
};
inline constexpr CopyForm copy_forms[] = {{3, false}, {max_rank, true}};

/// Runs operations that only copy with a program's own kernels, without a compiler.
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
