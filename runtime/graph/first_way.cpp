#include "runtime/graph/first_way.h"

namespace catena {

static thread_local int64_t count = 0;

void note_first_way() { ++count; }
int64_t first_ways() { return count; }

}  // namespace catena
