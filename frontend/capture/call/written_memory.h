#pragma once

#include <span>
#include <vector>

#include "frontend/capture/call/values.h"
#include "frontend/capture/call/view_layout.h"
#include "frontend/capture/call/watched_inputs.h"
#include "runtime/graph/op/op.h"

namespace catena::capture {

/// Memory that is written to behind the back of a followed call: through pointers that its code has
/// taken, or by somebody outside. An operation reads what lay there when it was called, though it
/// is computed later.
class WrittenMemory {
public:
    void begin_segment() { watched_.begin_segment(); }
    void end_call();

    /// Whether the code may write anywhere at any time.
    bool has_pointers() const { return !addressed_.empty(); }
    bool has_pointer(const ArrayBody& array) const;
    uint32_t pointers_to(const Storage& storage) const;
    /// The code takes the address of `array`.
    void take_pointer(const ArrayBody& array);
    /// What `call` reads: copies of inputs to which the code may write. The inputs themselves where
    /// there are none; views go on showing what is written.
    std::span<const Variable* const> as_read(const OpCall& call);

    /// Before an operation reads an array that somebody outside may write to. Once they have, each
    /// operation reads a copy of its own, as where the code has taken a pointer.
    void watch(const OpCall& call, ArrayBody& read, const Values& values);
    bool is_unchanged() const { return watched_.are_unchanged(); }
    /// What operations of the segment have read of an input.
    const Array& content(const Array& input) {
        const Array* const copy = input.defined() ? watched_.content(input) : nullptr;
        return copy ? *copy : input;
    }

private:
    Array snapshot(const ArrayBody& array);

    WatchedInputs watched_;
    std::vector<Ref<Storage>> addressed_;  ///< Memory through which the code may write at any time.
    std::vector<Snapshot> snapshots_;      ///< Copies of arrays that lie in addressed memory.
    std::vector<Variable> read_;           ///< What an operation reads instead of its inputs.
    std::vector<const Variable*> read_list_;
};

}  // namespace catena::capture
