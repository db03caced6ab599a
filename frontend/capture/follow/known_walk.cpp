#include "frontend/capture/follow/known_walk.h"

namespace catena::capture {

bool KnownWalk::did_the_same(const KnownWalk& other) const {
    return steps.are_the_same(other.steps) && given == other.given && visited == other.visited;
}

size_t KnownWalk::bytes() const {
    return sizeof(*this) + key.bytes() + nodes.size() * sizeof(Facts) + steps.bytes() +
           given.size() * sizeof(Given) + visited.size() * sizeof(int);
}

}  // namespace catena::capture
