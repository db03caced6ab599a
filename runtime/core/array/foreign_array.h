#pragma once

#include <functional>

#include "runtime/core/array/array.h"

namespace catena {

/// Elements that somebody else owns, in host memory or that of a device.
struct ForeignMemory {
    /// The address of element [0,...,0]; a multiple of the size of an element.
    void* data = nullptr;
    Type type;
    Strides strides;  ///< The steps along the axes, in elements; they may be zero or negative.
    Device* device = nullptr;  ///< The device of the memory; null: the host.
    bool is_read_only = false;
    /// Called once, when the last array that shows the memory is gone: on whichever thread that
    /// is, which holds no lock of Catena's then. Must not throw.
    std::function<void()> release;
    /// Whether anybody but Catena can write to it now; empty: always. Static regions ask before
    /// an operation reads the memory, and copy it; an update of a state asks that lies there, and
    /// is written there while its owner may look. Must not throw.
    std::function<bool()> others_may_write;
};

/// An array of these elements, which are not copied. The owner may write to them at any time, so
/// nothing is derived from them and kept. They are never taken for another array's; what writes
/// through raw_data() or to_fill() is a ValueError where the memory may only be read. ValueError
/// for a pointer that is null or misaligned, ShapeError for strides of another rank: then the
/// memory has been released.
Array foreign_array(ForeignMemory memory);
/// What the array's memory calls when it goes, by which its owner knows it again; null where the
/// memory is Catena's own. The array is not pending.
const std::function<void()>* release_of(const Array& array);

/// Until it ends, memory whose last array goes on this thread waits for its release: around a lock
/// under which arrays may go, because the owner's lock may be taken by one that waits for ours.
/// Declared before the lock.
class ReleaseLater {
public:
    ReleaseLater();
    ~ReleaseLater();
    ReleaseLater(const ReleaseLater&) = delete;
};

}  // namespace catena
