#pragma once

#include <memory>

#include "runtime/comm/communicator.h"

namespace catena {

/// From now on an exception that nobody catches, on any thread, is shown with this rank's number
/// and ends all ranks (Communicator::abort), as ChainerMN's global_except_hook. A second call
/// changes nothing and says so. create_communicator calls it when CATENA_FORCE_ABORT_ON_EXCEPTION
/// is 1.
///
/// Without it, too, no rank waits for one that has ended: this one's is the clearer message.
void add_global_except_hook(const std::shared_ptr<Communicator>& communicator);

}  // namespace catena
