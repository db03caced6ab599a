#pragma once

#include <string>

namespace catena::testing {

/// The message gives the reason for which some operation is computed on the host alone.
bool tells_of_host_only(const std::string& message);

}  // namespace catena::testing
