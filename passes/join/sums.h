#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include "ir/dialect.h"

namespace catena::passes {

/// Whether the operation is a map that adds two tensors of its own shape, and is not only a term of
/// another such map.
bool is_sum(mlir::Operation* op);
/// The terms of a sum, in order; additions used only by it are looked through.
llvm::SmallVector<mlir::Value> terms_of(ir::MapOp sum);

/// New values for terms; null: the term vanishes, because another one includes it.
using ReplacedTerms = llvm::DenseMap<mlir::Value, mlir::Value>;
void rebuild_sum(ir::MapOp sum, llvm::ArrayRef<mlir::Value> terms, const ReplacedTerms& replaced);

/// `value` reshaped to `type`, which has more or fewer leading dimensions of size 1.
mlir::Value with_type(mlir::Type type, mlir::Value value, ir::MapOp sum, mlir::OpBuilder& builder);

}  // namespace catena::passes
