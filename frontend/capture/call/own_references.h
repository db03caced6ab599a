#pragma once

#include <cstdint>
#include <vector>

#include "frontend/capture/call/undo_log.h"
#include "frontend/capture/call/values.h"
#include "frontend/capture/path/pointer_table.h"

namespace catena::capture {

/// How often a call itself refers to the inputs of its segment and to their memory. Somebody else,
/// who could read them later, refers to those that are counted more often than that.
class OwnReferences {
public:
    /// Counts the references by arrays of `values` and by `log`.
    void count(const Values& values, const UndoLog& log);
    /// The number of the call's references to input `v`.
    uint32_t of_input(int v) const { return 1 + held_[size_t(v)]; }
    /// The number of references to a storage by arrays that only the call refers to.
    uint32_t of_storage(const Storage& storage);

private:
    std::vector<uint32_t> held_;  ///< How often the log holds a value; indexed by value.
    PointerTable shown_;          ///< How many views that nobody refers to show a storage.
    PointerTable inputs_;         ///< The inputs by their arrays, while counting.
};

}  // namespace catena::capture
