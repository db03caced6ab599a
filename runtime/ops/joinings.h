#pragma once

#include "runtime/ops/op.h"

namespace catena {

/// A way in which several calls of an op become one call on longer operands: operand i of the calls is joined along
/// axis inputs[i], or is the same for all of them. The results lie side by side along axis `output` of
/// the one call's, or it gives their sum. Attributes are equal and stay.
struct Joining {
    static constexpr int shared = -1;
    static constexpr int sum = -1;
    SmallVector<int, 4> inputs;
    int output = sum;
};
using Joinings = SmallVector<Joining, 2>;

/// Said once, beside the op's definition: how calls with such inputs can be joined. Returns true.
bool can_be_joined(const OpDef& op, std::function<Joinings(const TypeCall&)> how);
/// What was said; empty for an op of which nothing was.
Joinings joinings_of(const TypeCall& call);

/// The op of Kind::concat: its inputs side by side along attribute "axis".
const OpDef& concat_op();

}  // namespace catena
