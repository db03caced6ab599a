#pragma once

#include <string_view>

#include "runtime/core/array/array.h"

namespace catena::capture {

/// Marks `array` as failed: reading its elements throws a TraceError that says why they were never
/// computed, as far as there is memory for it.
void fail_array(ArrayBody& array, std::string_view region, std::string_view why) noexcept;

}  // namespace catena::capture
