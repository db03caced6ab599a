#pragma once

#include "runtime/core/array.h"

namespace catena {

/// While alive, somebody outside looks at the memory of an array and may write to it at any time: a
/// view that another language made. A state whose content lies there (runtime/graph/held_state.h)
/// keeps the memory, and updates are written into it, also for other arrays that share it. It
/// becomes no other array's.
class HeldMemory {
public:
    HeldMemory() = default;
    /// Inside a static region this is a host read, as raw_data(); ValueError for an undefined one.
    explicit HeldMemory(const Array& array);
    HeldMemory(const HeldMemory& other);
    HeldMemory(HeldMemory&& other) noexcept = default;
    HeldMemory& operator=(HeldMemory other) noexcept;
    ~HeldMemory();

    /// Null if nothing is held.
    const Storage* storage() const { return storage_.get(); }

private:
    Ref<Storage> storage_;  ///< One reference and one of its holders.
};

}  // namespace catena
