#pragma once

#include "runtime/graph/trace.h"
#include "runtime/program/number_stream.h"

namespace catena::capture {

/// A recording as a row of numbers, step by step; values are numbered and described where they are first used. Two recordings
/// with the same stream are the same program: they differ at most in names and in the values of scalars.
program::NumberStream stream_of(const Trace& trace);

}  // namespace catena::capture
