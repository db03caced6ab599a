#pragma once

#include <string>
#include <vector>

namespace catena::codegen::cuda {

struct NvrtcOptions {
    std::string architecture = "sm_90";
    bool fast_math = false;  ///< Whether a * b + c may be contracted; no other rule is loosened.
    /// Whether the result is PTX, which any newer device loads, instead of machine code.
    bool ptx = false;
    /// The newest version that the device loads, see CodeDevice::newest_code(): an NVRTC of a later
    /// major version is not used.
    int newest = 0;
    bool quick = false;  ///< Whether as little as possible is optimized, to save time.
};

/// Compiles a text to machine code (or PTX, also where NVRTC does not know so new an architecture).
/// CompileError with NVRTC's words, or saying which library was looked for, or naming NVRTC's
/// version and the driver's where it is too new.
std::string nvrtc_compile(const std::string& text, const NvrtcOptions& options);

/// The options of NVRTC, apart from the architecture.
std::vector<const char*> nvrtc_flags(const NvrtcOptions& options);

/// The architectures that NVRTC makes code for: 75, 80, ... Empty when it cannot be loaded.
std::vector<int> nvrtc_architectures(int newest = 0);

/// The version of NVRTC, "NVRTC 13.0", or "" when it cannot be loaded. It is the first of
/// cuda_library_files() that is not too new.
std::string nvrtc_version(int newest = 0);

}  // namespace catena::codegen::cuda
