#pragma once

#include <string>
#include <vector>

namespace catena::codegen::cuda {

struct NvrtcOptions {
    std::string architecture = "sm_90";
    bool fast_math = false;  ///< Contraction of a * b + c; nothing else is loosened.
    bool ptx = false;        ///< PTX, which any newer device takes, instead of code.
    int newest =
        0;  ///< See CodeDevice::newest_code(): NVRTC of a later major version is not taken.
    bool quick = false;  ///< With as little optimization as this NVRTC can do.
};

/// Machine code (or PTX, also where NVRTC does not know so new an architecture). CompileError with
/// NVRTC's words, or saying which library was looked for, or naming NVRTC's version and the
/// driver's where it is too new.
std::string nvrtc_compile(const std::string& text, const NvrtcOptions& options);

/// How texts are compiled, apart from the architecture.
std::vector<const char*> nvrtc_flags(const NvrtcOptions& options);

/// What it makes code for: 75, 80, ... Empty when it cannot be loaded.
std::vector<int> nvrtc_architectures(int newest = 0);

/// "NVRTC 13.0", or "" when it cannot be loaded. It is the first of cuda_library_files() that is
/// not too new.
std::string nvrtc_version(int newest = 0);

}  // namespace catena::codegen::cuda
