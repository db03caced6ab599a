#include "frontend/capture/known_walk.h"

#include <algorithm>
#include <bit>

namespace catena::capture {

bool KnownWalk::did_the_same(const KnownWalk& other) const {
    const auto same = [](double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); };
    return steps == other.steps && std::ranges::equal(scalars, other.scalars, same) && given == other.given &&
           visited == other.visited;
}

size_t KnownWalk::bytes() const {
    return sizeof(*this) + key.size() * sizeof(int64_t) + nodes.size() * sizeof(Facts) + steps.size() * sizeof(void*) +
           scalars.size() * sizeof(double) + given.size() * sizeof(Given) + visited.size() * sizeof(int);
}

}  // namespace catena::capture
