#pragma once

#include <optional>

#include "ir/dialect.h"

namespace catena::passes {

/// A sum of squares of differences from what follows from a sum of the same elements: sum (x -
/// centre)^2.
struct Spread {
    ir::ReduceOp squares, sum;
    mlir::Value x, centre;

    /// Removes the sums, whose results nobody reads any more, and what only the squares were made
    /// from.
    void erase();
};

/// Of float32 or float64 alone; nothing if `squares` are no such sum.
std::optional<Spread> spread_of(ir::ReduceOp squares);

}  // namespace catena::passes
