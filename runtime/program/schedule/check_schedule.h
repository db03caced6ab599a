#pragma once

#include "runtime/ops/declare/channels_last.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// FileError unless a schedule from a file is valid: every index is in range, kernels and calls
/// stay inside their buffers, and calls have the types that their operations' rules give, row-major
/// but where `orders` allows another order.
void check_schedule(const Schedule& schedule, const ChannelsLastRule& orders = channels_last_of);

}  // namespace catena::program
