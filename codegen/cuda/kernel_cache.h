#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/cuda/emit_kernel.h"
#include "codegen/cuda/nvrtc.h"
#include "runtime/core/array/code_device.h"
#include "runtime/file/disk_cache.h"

namespace catena::codegen::cuda {

/// A kernel that is wanted on a device, and afterwards there.
struct CodeKernel {
    KernelText text;
    Layout layout;
    std::string name;              ///< Of the first kernel with this text.
    const void* handle = nullptr;  ///< The device's.
};

/// Sets name and handle of every kernel: from the process-wide cache, or compiled now, up to 16 in
/// one translation unit. Returns how many were compiled. CompileError with the compiler's words.
int find_or_compile(CodeDevice& device, std::span<CodeKernel* const> kernels, bool fast_math);

/// The translation units that find_or_compile() makes of `kernels`, without duplicates; sets their
/// names.
struct TranslationUnit {
    std::string text;
    std::vector<std::string> names;
};
std::vector<TranslationUnit> translation_units(std::span<CodeKernel* const> kernels,
                                               bool fast_math);
/// The same of kernels that have their names.
std::vector<TranslationUnit> units_of(std::span<CodeKernel* const> kernels);
/// All of them in one text.
std::string unit_text(std::span<CodeKernel* const> kernels);

/// The same in every process, so that texts are, and others for other texts: one module's kernels
/// never hide another's.
std::string kernel_name(const CodeKernel& kernel, bool fast_math);

/// What a device of this architecture loads: code of "sm_90", PTX of "compute_90", or the text
/// itself for "text". CompileError naming the ones that there are. `newest` as in NvrtcOptions.
std::string code_for(const std::string& architecture, const std::string& text, bool fast_math,
                     int newest = 0);

/// nvrtc_compile() unless `disk` has the result: for this text, architecture, NVRTC and flags.
std::string machine_code(DiskCache& disk, const std::string& text, const NvrtcOptions& options);

/// Kernels compiled since the process began.
int kernels_compiled();

}  // namespace catena::codegen::cuda
