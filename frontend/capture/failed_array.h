#pragma once

#include <string>

#include "runtime/core/array.h"

namespace catena::capture {

/// From now on whoever asks for the elements of `array` gets a TraceError that says why they were never computed.
void fail_array(ArrayBody& array, const std::string& region, const std::string& why);

}  // namespace catena::capture
