#pragma once

#include <string>

#include "runtime/core/array.h"

namespace catena::capture {

/// Marks `array` as failed: reading its elements throws a TraceError that says why they were never
/// computed.
void fail_array(ArrayBody& array, const std::string& region, const std::string& why);

}  // namespace catena::capture
