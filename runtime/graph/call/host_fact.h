#pragma once

#include <cstdint>

namespace catena {

/// A fact outside the arrays that decides which way a region's code takes, such as whether a
/// recurrent link's state is empty. Calls may skip the code only while present() is as it was in
/// the call that ran.
class HostFact {
public:
    virtual ~HostFact() = default;
    virtual uint64_t present() const = 0;
};

}  // namespace catena
