#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// Declares that `onto` computes `op` and adds the result to an array: its operands are that array,
/// then those of `op`. Its result may lie in the array's memory, where both are row-major. Used
/// once, beside the definitions. Returns true.
bool set_onto(const OpDef& op, const OpDef& onto);
/// Null without a declaration.
const OpDef* onto_form(const OpDef& op);
/// Whether an op is such a form of another one: passes alone call it.
bool is_onto_form(const OpDef& op);

}  // namespace catena
