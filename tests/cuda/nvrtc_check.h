#pragma once

#include <span>
#include <string>

namespace catena::testing {

/// Compiles translation units by NVRTC for two architectures, an old and a new one.
void expect_nvrtc_takes(std::span<const std::string> texts);

}  // namespace catena::testing
