#include "tests/distributed/timeout.h"

namespace catena {
namespace {

[[maybe_unused]] const int set = setenv("CATENA_COMM_TIMEOUT", "100", 0);

}  // namespace
}  // namespace catena
