#pragma once

#include <functional>
#include <memory>

#include "runtime/comm/communicator.h"

namespace catena {

/// Runs f on `size` threads, each a rank of a new group, and returns when all have ended. When one
/// throws, the calls of the others fail, and the first exception is rethrown.
void run_local(int size, const std::function<void(const std::shared_ptr<Communicator>&)>& f);

/// The communicator of this thread inside run_local(); elsewhere a group of one.
std::shared_ptr<Communicator> local_communicator();

}  // namespace catena
