#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include "ir/dialect.h"

namespace catena::passes {

/// A map that adds two tensors of its own shape, and is no term of another one only.
bool is_sum(mlir::Operation* op);
/// What it adds up, in order; additions used only by it are looked through.
llvm::SmallVector<mlir::Value> terms_of(ir::MapOp sum);

/// New values of terms; null: none any more, another one stands for it.
using ReplacedTerms = llvm::DenseMap<mlir::Value, mlir::Value>;
void rebuild_sum(ir::MapOp sum, llvm::ArrayRef<mlir::Value> terms, const ReplacedTerms& replaced);

/// `value` with leading dimensions of size 1 more or less.
mlir::Value with_type(mlir::Type type, mlir::Value value, ir::MapOp sum, mlir::OpBuilder& builder);

}  // namespace catena::passes
