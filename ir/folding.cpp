// Folds that need nothing new: an operation that gives what it takes.
#include "ir/dialect.h"

#include "mlir/IR/PatternMatch.h"

namespace catena::ir {

using mlir::OpFoldResult;

OpFoldResult ReduceOp::fold(FoldAdaptor) {
    return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
    if (getInput().getType() == getType()) return getInput();
    // reshape(reshape(x)): only the outermost shape counts.
    if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
        getInputMutable().assign(inner.getInput());
        return getResult();
    }
    return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
    return {};
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
    if (getInput().getType() == getType()) return getInput();
    return {};
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
    return {};
}

mlir::LogicalResult MapOp::fold(FoldAdaptor, llvm::SmallVectorImpl<OpFoldResult>&) {
    return mlir::failure();
}

void MapOp::getCanonicalizationPatterns(mlir::RewritePatternSet&, mlir::MLIRContext*) {}

}  // namespace catena::ir
