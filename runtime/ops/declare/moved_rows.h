#pragma once

#include <functional>
#include <optional>

#include "runtime/graph/op/op.h"

namespace catena {

// Rows of matrices at places: a gather reads rows of its first input [n, width] where its second
// one, of integers, says: [places.., width]. A scatter adds rows [places.., width] to zeros [n,
// width]. Of each other's places they are the gradients.

/// A call that adds rows to zeros; its operands are the rows and the places.
struct RowAddition {
    const OpDef* op;
    Attributes attributes;
};
using MovedRowsRule = std::function<std::optional<RowAddition>(const TypeCall&, const Shape& sums)>;

/// Calls of the op, a gather or a scatter, move rows so: what adds rows to zeros of shape `sums` at
/// places of the same meaning; or nothing for a call that does something else, such as ignoring
/// some places.
Declaration moves_rows(MovedRowsRule addition);
/// Nothing without a declaration.
std::optional<RowAddition> addition_of_moved_rows(const TypeCall& call, const Shape& sums);

}  // namespace catena
