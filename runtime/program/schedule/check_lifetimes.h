#pragma once

#include <functional>

#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// What the compiler knows of the schedule's kernels. Nothing is known of a program from a file:
/// its code was verified when it was compiled.
struct KernelFacts {
    /// Whether a kernel visits every index once, so nothing is read after it is stored.
    std::function<bool(int kernel)> sweeps_once;
    /// Whether a kernel combines the output's elements in memory.
    std::function<bool(int kernel, int output)> accumulates;
};

/// Verifies the memory plan of a schedule from the reads and writes of its launches. InternalError,
/// with the buffer and the launches, unless
/// - every buffer is written once, before it is read, and not by a launch that reads it as well;
/// - buffers live at the same launch share no bytes of the arena, except one that lies `over`
/// another which is read for the
///   last time by the kernel that writes it, element by element;
/// - no launch reads an input, or can fail on values, after a result has overwritten the input's
/// memory.
void check_lifetimes(const Schedule& schedule, const KernelFacts& facts = {});

/// Whether new schedules are checked: in builds with assertions, and with CATENA_CHECK_SCHEDULES=1.
bool lifetimes_are_checked();

}  // namespace catena::program
