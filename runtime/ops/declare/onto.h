#pragma once

#include "runtime/ops/declare/other_op.h"

namespace catena {

/// `onto` computes the op and adds the result to an array: its operands are that array, then those
/// of the op. Its result may lie in the array's memory, where both are row-major.
Declaration added_onto_by(OtherOp onto);
/// The declaration of an op that computes another op and adds the result to an array.
Declaration adds_onto();
/// The op that computes this one and adds the result to an array; null without a declaration.
const OpDef* onto_form(const OpDef& op);
/// Whether an op is such a form of another one: passes alone call it.
bool is_onto_form(const OpDef& op);

}  // namespace catena
