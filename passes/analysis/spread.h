#pragma once

#include <optional>

#include "ir/dialect.h"

namespace catena::passes {

/// A sum of squared differences from a centre, sum (x - centre)^2, where the centre follows from a
/// sum of the same elements: a variance.
struct Spread {
    ir::ReduceOp squares, sum;
    mlir::Value x, centre;

    /// Removes the sums, whose results nobody reads any more, and the operations from which only
    /// the squares were made.
    void erase();
};

/// Recognises a sum of squared differences from a centre, of float32 or float64; nothing if
/// `squares` is another reduction.
std::optional<Spread> spread_of(ir::ReduceOp squares);

}  // namespace catena::passes
