#pragma once

#include <string>

#include "runtime/program/schedule/schedule.h"

namespace catena::codegen {

/// The schedule as text: launches in order with what they read and write, and where each buffer is.
std::string to_string(const program::Schedule& schedule);

}  // namespace catena::codegen
