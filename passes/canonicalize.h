#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/Block.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace catena::passes {

/// The patterns that bring the dialect, and the arithmetic in it, into canonical form.
mlir::FrozenRewritePatternSet canonical_forms(mlir::MLIRContext* context);

/// Applies canonical_forms() to the operations of a block, until nothing changes.
void canonicalize(mlir::Block& block, const mlir::FrozenRewritePatternSet& forms);

}  // namespace catena::passes
