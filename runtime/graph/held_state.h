#pragma once

#include "runtime/core/array/held_memory.h"
#include "runtime/graph/variable.h"

namespace catena {

/// Holds the memory of a variable's content. A state gets memory of its own first: what shares it
/// (a copy of the state, an array read before) keeps its elements at updates. Within a static
/// region that is not so.
HeldMemory hold_memory(const Variable& x);

/// Sets the content of a state outside the graph, as set_array(), but by an update: where its
/// memory is held, the elements are written into that.
void update_content(const Variable& state, Array array);

/// Whether somebody may write to the array's memory, or updates of a state are written into it.
inline bool is_held(const Array& array) { return array.defined() && array.storage()->is_held(); }
/// `array`, or a copy if it is held.
Array not_held(const Array& array);

/// For an update of a state to `array`, one of which is_held(). True: its elements were written to
/// where the content lies, which stays. False: the state is to be bound to `array`, which may have
/// become a copy. Within a static region, whose results may be computed again and whose changes be
/// undone, writing waits for settle_held_states().
bool update_held(VariableBody& state, Array& array);
/// The user gives the state other memory: nothing is written to where its content was.
void forget_held(VariableBody& state);
/// At the end of a region's call: its updates are written. TraceError where somebody has written to
/// the memory after the update, whose view no longer shows the state then; not if the call
/// `has_failed` by itself.
void settle_held_states(bool has_failed);

}  // namespace catena
