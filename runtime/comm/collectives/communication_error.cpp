#include "runtime/comm/collectives/communication_error.h"

#include "runtime/core/system/environment.h"

namespace catena {

double communication_timeout() {
    return environment::positive_number("CATENA_COMM_TIMEOUT").value_or(600);
}

}  // namespace catena
