#pragma once

#include <string>
#include <vector>

#include "mlir/IR/Block.h"

namespace catena::passes {

/// Products of rows of a matrix that a gather reads, where it reads more rows than the matrix has:
/// an embedding of few characters in a long text. With rows x[i] = E[places[i]] the product x W has
/// equal rows for equal places, so that of E is computed, and its rows are read: (E W)[places].
/// Backwards rows with equal places are added before they are multiplied: towards W the product of
/// E and of these sums, towards E the sums' product with W. Sums of float32 and float64 are rounded
/// in another order then; infinity and NaN stay what they are, but that a sum of rows may exceed
/// the range of its dtype where each alone does not. Returns a note for each product.
std::vector<std::string> join_rows(mlir::Block& block);

}  // namespace catena::passes
