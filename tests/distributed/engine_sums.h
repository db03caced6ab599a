#pragma once

#include "runtime/comm/communicator.h"

namespace catena {

/// What sums in any order promise, for all dtypes: right within the roundings of the dtype, and
/// the same bits on all ranks. Arrays of up to `largest`
/// elements. Sets the order, and sets it back.
void check_engine_sums(Communicator& comm, int64_t largest = 5003);

}  // namespace catena
