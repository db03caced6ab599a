#pragma once

#include <cstdint>

namespace catena {

/// What the host keeps beside the arrays, and the way of a region's code depends on (a recurrent
/// link whose state is empty): calls may skip the code only while it is as in the call that ran.
class HostFact {
public:
    virtual ~HostFact() = default;
    virtual uint64_t present() const = 0;
};

}  // namespace catena
