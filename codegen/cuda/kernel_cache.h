#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/cuda/emit_kernel.h"
#include "codegen/cuda/nvrtc.h"
#include "runtime/core/array/code_device.h"
#include "runtime/file/disk_cache.h"

namespace catena::codegen::cuda {

/// A kernel that is requested for a device, and afterwards its code there.
struct CodeKernel {
    KernelText text;
    Layout layout;
    std::string name;              ///< The name of the first kernel with this text.
    const void* handle = nullptr;  ///< The device's handle of the kernel.
};

/// Sets name and handle of every kernel: from the process-wide cache, or compiled now, up to 16 in
/// one translation unit. Returns how many were compiled. CompileError with the compiler's words.
int find_or_compile(CodeDevice& device, std::span<CodeKernel* const> kernels, bool fast_math);

/// The text of several kernels that are compiled together. translation_units() makes the units that
/// find_or_compile() compiles, without duplicates, and sets the kernels' names.
struct TranslationUnit {
    std::string text;
    std::vector<std::string> names;
};
std::vector<TranslationUnit> translation_units(std::span<CodeKernel* const> kernels,
                                               bool fast_math);
/// The translation units of kernels that have their names.
std::vector<TranslationUnit> units_of(std::span<CodeKernel* const> kernels);
/// The text of all kernels as one translation unit.
std::string unit_text(std::span<CodeKernel* const> kernels);

/// The kernel's name, a hash: equal in every process, so that texts are equal, and different for
/// different texts, so that one module's kernels never hide another's.
std::string kernel_name(const CodeKernel& kernel, bool fast_math);

/// The code that a device of this architecture loads: machine code for "sm_90", PTX for
/// "compute_90", or the text itself for "text". CompileError naming the known ones. `newest` as in
/// NvrtcOptions.
std::string code_for(const std::string& architecture, const std::string& text, bool fast_math,
                     int newest = 0);

/// nvrtc_compile() unless `disk` has the result: for this text, architecture, NVRTC and flags.
std::string machine_code(DiskCache& disk, const std::string& text, const NvrtcOptions& options);

/// Number of kernels compiled since the process began.
int kernels_compiled();

}  // namespace catena::codegen::cuda
