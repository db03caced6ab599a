#pragma once

#include <functional>

#include "runtime/ops/declare/other_op.h"

namespace catena {

/// Whether it pays that a call's result is measured meanwhile.
using MeasuredRule = std::function<bool(const TypeCall&)>;

/// `measured` computes a call of the op where that pays, and measures its result y [N, C, ...]
/// meanwhile. Its results are y, as [1, C, 1, ...] the sum of each channel over all images and
/// positions and the sum of squares of the differences from that channel's mean, and as
/// [1, 1, 1, ...] the number of elements of a channel: a program reads it from there, since code
/// that contained it would be another at each size. Inputs and attributes are the same.
Declaration measured_by(OtherOp measured, MeasuredRule pays);
/// The declaration of an op that computes another op and measures the result.
Declaration measures_result();
/// The op that measures such a call. Null where it does not pay, and without a declaration.
const OpDef* measured_form(const TypeCall& call);
/// Whether an op is the measured form of another one: passes alone call it.
bool is_measured_form(const OpDef& op);

}  // namespace catena
