#pragma once

#include <memory>

#include "runtime/comm/communicator.h"

namespace catena {

/// Installs a handler: an uncaught exception, on any thread, is printed with this rank's number
/// and terminates all ranks (Communicator::abort), as ChainerMN's global_except_hook. A second
/// call has no effect but a message. create_communicator calls it when
/// CATENA_FORCE_ABORT_ON_EXCEPTION is 1.
///
/// Even without it no rank waits for a terminated one, but this message is clearer.
void add_global_except_hook(const std::shared_ptr<Communicator>& communicator);

/// Whether the environment asks for it: CATENA_FORCE_ABORT_ON_EXCEPTION, or ChainerMN's names.
bool wants_global_except_hook();

}  // namespace catena
