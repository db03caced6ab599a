#pragma once

#include "runtime/graph/variable/variable.h"

namespace catena {

/// The only write operation: sets the content of `state` to `value`. Arrays read from `state`
/// before keep their elements. Types must be equal (ShapeError, DtypeError).
void assign(const Variable& state, const Variable& value);

/// Updates `state` to `array`, outside the graph and not recorded: it becomes the content, and
/// `state` its owner. Where somebody outside holds the memory of the content (held_state.h), the
/// elements are written there instead.
void bind_state(VariableBody& state, Array array);
/// Binds a state, as bind_state() does, to content that the user gives: who holds the old memory
/// keeps it as it is.
void replace_state(VariableBody& state, Array array);

/// Sets the content of a state outside the graph, as set_array(), but by an update: where its
/// memory is held, the elements are written into that.
void update_content(const Variable& state, Array array);

}  // namespace catena
