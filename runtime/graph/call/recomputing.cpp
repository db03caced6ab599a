#include "runtime/graph/call/recomputing.h"

#include <utility>

namespace catena {
namespace {
thread_local bool recomputing = false;
}

bool is_recomputing() { return recomputing; }
RecomputingScope::RecomputingScope() : previous_(std::exchange(recomputing, true)) {}
RecomputingScope::~RecomputingScope() { recomputing = previous_; }

}  // namespace catena
