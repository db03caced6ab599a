#pragma once

#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// Whether a library call may be given memory for `output` that holds `input`, which it reads for
/// the last time (runtime/ops/declare/onto.h).
bool writes_in_place(const LibraryCall& call, int input, int output);

}  // namespace catena::program
