#pragma once

#include "runtime/graph/trace/trace.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::capture {

/// Whether a program has the inputs and outputs of the recording, is cut where the recording has
/// its border, and names only scalars and steps that exist. Together with check_schedule() that is
/// all that running it relies on. It does not check what the program computes.
bool fits_recording(const program::Schedule& schedule, const Trace& trace);

}  // namespace catena::capture
