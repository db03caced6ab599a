#pragma once

#include "runtime/graph/trace.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::capture {

/// Whether a schedule that was not compiled is one of the recording's arrays, stays within its
/// memory, and overwrites nothing that is read later. What it computes: see launch_relations.h.
bool is_sound(const program::Schedule& schedule, const Trace& trace);

}  // namespace catena::capture
