#pragma once

#include "runtime/graph/trace/trace.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::capture {

/// Whether a schedule that was planned instead of compiled fits the types of the recording's
/// arrays, stays within its memory, and overwrites nothing that is read later. It does not check
/// what is computed: see launch_relations.h.
bool is_sound(const program::Schedule& schedule, const Trace& trace);

}  // namespace catena::capture
