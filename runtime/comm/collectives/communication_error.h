#pragma once

#include "runtime/core/system/error.h"

namespace catena {

/// A call between processes that cannot be completed: a rank is gone, late, or made another
/// call.
struct CommunicationError : Error {
    using Error::Error;
};

/// The seconds that a call waits for other ranks: CATENA_COMM_TIMEOUT, else 600.
double communication_timeout();

}  // namespace catena
