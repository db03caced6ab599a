#pragma once

#include "runtime/comm/communicator.h"

namespace catena {

/// What every implementation must do, on all ranks of `comm` at once; failures are those of
/// GoogleTest.
void check_collectives(Communicator& comm);
void check_split(Communicator& comm);
void check_background(Communicator& comm);

}  // namespace catena
