#pragma once

#include <memory>
#include <span>

#include "codegen/cuda/element_kernel.h"
#include "codegen/draft.h"
#include "runtime/program/run/device_executable.h"
#include "runtime/program/run/portable.h"

namespace catena::codegen::cuda {

/// Makes a program with its kernels on the device, and compiles those that the process has not
/// compiled yet. CompileError with the compiler's words. `text`, if given, becomes that of all
/// kernels.
std::shared_ptr<program::DeviceExecutable> make_executable(Draft draft, CodeDevice& device,
                                                           bool fast_math,
                                                           std::string* text = nullptr);

/// Makes schedules of the drafts, one program at several sizes, and images for each architecture
/// that is wanted: groups, element texts of all library calls, whatever libraries the device that
/// runs it will have, and copies. CompileError naming the call that no device can run, or an
/// architecture that NVRTC does not know.
void add_device_code(DevicePortableProgram& program, std::vector<Draft> drafts,
                     const DevicePortableOptions& options);

/// The default architectures for a device: "sm_90" and "compute_90", or the newest PTX where NVRTC
/// does not know so new a device.
std::vector<std::string> portable_architectures(const CodeDevice& device);

}  // namespace catena::codegen::cuda
