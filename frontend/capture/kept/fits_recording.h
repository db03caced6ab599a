#pragma once

#include "runtime/graph/trace.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::capture {

/// Whether a program takes and gives what the recording does, is cut where that has its border, and
/// names no number or step that it does not have. With check_schedule() that is all that running it
/// relies on; what it computes is not looked at.
bool fits_recording(const program::Schedule& schedule, const Trace& trace);

}  // namespace catena::capture
