#include "frontend/capture/follow/known_body.h"

namespace catena::capture {

bool KnownBody::did_the_same(const KnownBody& other) const {
    return steps.are_the_same(other.steps) && inputs == other.inputs && outputs == other.outputs;
}

size_t KnownBody::bytes() const {
    return sizeof(*this) + steps.bytes() + inputs.size() * sizeof(Input) +
           outputs.size() * sizeof(int);
}

}  // namespace catena::capture
