#pragma once

#include "runtime/program/schedule.h"

namespace catena::program {

/// Proves of a schedule what its planner claims, from what its launches read and write alone. InternalError, with the buffer
/// and the launches, unless
/// - every buffer is written once, before it is read, and not by a launch that reads it as well;
/// - buffers in use at the same launch share no bytes of the arena, but one that lies `over` another which is read for the
///   last time by the kernel that writes it, element by element;
/// - nobody reads an input after a result took over its memory, and no launch can fail by its values from then on.
void check_lifetimes(const Schedule& schedule);

/// Whether schedules are checked when they are made: in builds with assertions, and with CATENA_CHECK_SCHEDULES=1.
bool lifetimes_are_checked();

}  // namespace catena::program
