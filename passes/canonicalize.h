#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/Block.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace catena::passes {

/// The canonical forms of the dialect and of the arithmetic in it.
mlir::FrozenRewritePatternSet canonical_forms(mlir::MLIRContext* context);

/// Applies them to the operations of a block, until nothing changes.
void canonicalize(mlir::Block& block, const mlir::FrozenRewritePatternSet& forms);

}  // namespace catena::passes
