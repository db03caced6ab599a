#pragma once

#include <functional>

#include "runtime/graph/op/op.h"

namespace catena {

/// A way in which several calls of an op become one call on longer operands: operand i of the calls
/// is joined along axis inputs[i], or is the same for all of them. The results are concatenated
/// along axis `output` of its result, or it computes their sum. All calls have equal attributes.
struct Joining {
    static constexpr int shared = -1;
    static constexpr int sum = -1;
    SmallVector<int, 4> inputs;
    int output = sum;
};
using Joinings = SmallVector<Joining, 2>;

using JoiningsRule = std::function<Joinings(const TypeCall&)>;

/// How calls of the op with such inputs can be joined.
Declaration joinings(JoiningsRule how);
/// The ways in which a call can be joined with others; empty without a declaration.
Joinings joinings_of(const TypeCall& call);

/// The op of Kind::concat: concatenates its inputs along attribute "axis".
const OpDef& concat_op();

}  // namespace catena
