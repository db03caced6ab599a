#pragma once

#include <vector>

#include "runtime/program/schedule/schedule.h"

namespace catena::codegen {

/// Buffers that kernels or a library call read and write, each as often as it is an operand.
struct Uses {
    std::vector<int> reads, writes;
};

void add_kernel(Uses& uses, const program::KernelLaunch& kernel);
Uses uses_of(const program::Schedule& schedule, const program::Launch& launch);

}  // namespace catena::codegen
