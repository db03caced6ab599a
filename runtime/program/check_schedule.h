#pragma once

#include "runtime/program/schedule.h"

namespace catena::program {

/// FileError unless a schedule from a file is valid: every index is in range, kernels and calls stay inside their
/// buffers, and calls have the types that their operations' rules give.
void check_schedule(const Schedule& schedule);

}  // namespace catena::program
