#pragma once

#include "runtime/core/array/array.h"
#include "runtime/core/array/foreign_storage.h"

namespace catena {

/// While alive, somebody outside looks at the memory of an array and may write to it at any time: a
/// view that another language made. A state whose content lies there
/// (runtime/graph/call/held_state.h) keeps the memory, and updates are written into it, also for
/// other arrays that share it. It becomes no other array's.
class HeldMemory {
public:
    HeldMemory() = default;
    /// Inside a static region this is a host read, as raw_data(); ValueError for an undefined one.
    explicit HeldMemory(const Array& array);
    HeldMemory(const HeldMemory& other);
    HeldMemory(HeldMemory&& other) noexcept = default;
    HeldMemory& operator=(HeldMemory other) noexcept;
    ~HeldMemory();

    /// The storage that is held; null if there is none.
    const Storage* storage() const { return storage_.get(); }

private:
    explicit HeldMemory(Ref<Storage> storage);
    Ref<Storage> storage_;  ///< One reference and one of its holders.
};

/// Whether somebody outside may write to the memory now, so that changes of the elements are not
/// noticed: through a pointer that raw_data() gave at any time, a view that is held, or because it
/// is theirs.
inline bool may_be_written(const Storage& storage) {
    const bool is_held = storage.is_held();
    if (!(is_held | storage.is_exposed.load(std::memory_order_relaxed))) return false;
    return is_held || !storage.is_foreign || others_may_write(storage);
}

}  // namespace catena
