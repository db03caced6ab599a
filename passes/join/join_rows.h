#pragma once

#include <string>
#include <vector>

#include "mlir/IR/Block.h"

namespace catena::passes {

/// Shortens products whose left factor is rows of a matrix E read by a gather, if it reads more
/// rows than the matrix has: an embedding of few characters in a long text. Rows x[i] =
/// E[places[i]] are equal for equal places, so instead of x W the product E W is computed, and its
/// rows are read: (E W)[places]. In backward, rows with equal places are added before they are
/// multiplied: the gradient of W is the product of E and these sums, that of E the product of the
/// sums and W. This changes the order in which sums of float32 and float64 are rounded. Infinity
/// and NaN stay, except that a sum of rows may exceed the range of its dtype where each alone does
/// not. Returns a note for each product.
std::vector<std::string> join_rows(mlir::Block& block);

}  // namespace catena::passes
