#pragma once

#include <span>
#include <string>

namespace catena::testing {

/// Compiles kernels by NVRTC for two architectures, an old and a new one.
void expect_nvrtc_takes(std::span<const std::string> texts);

/// Compiles all kernels quickly, to PTX: C++ ends there, and no text knows the architecture. What
/// an assembler may still refuse are threads, memory, parameters and inline assembly; so of the
/// kernels that have these in common one is compiled as by expect_nvrtc_takes().
void expect_nvrtc_takes_quickly(std::span<const std::string> texts);

}  // namespace catena::testing
