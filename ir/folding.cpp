// Folds: operations that return their input, and structural operations that undo or continue each
// other.
#include "ir/dialect.h"
#include "ir/types.h"

namespace catena::ir {

using mlir::OpFoldResult;

OpFoldResult ReduceOp::fold(FoldAdaptor) {
    // Over dimensions of size 1 every combination gives the element itself.
    if (getInput().getType() == getType()) return getInput();
    return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
    if (getInput().getType() == getType()) return getInput();
    if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
        getInputMutable().assign(inner.getInput());
        return getResult();
    }
    return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
    llvm::ArrayRef<int64_t> axes = getAxes();
    bool identity = true;
    for (size_t i = 0; i < axes.size(); ++i) identity &= axes[i] == int64_t(i);
    if (identity) return getInput();
    if (auto inner = getInput().getDefiningOp<TransposeOp>()) {
        llvm::SmallVector<int64_t> composed;
        for (int64_t axis : axes) composed.push_back(inner.getAxes()[axis]);
        setAxes(composed);
        getInputMutable().assign(inner.getInput());
        return getResult();
    }
    return {};
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
    if (getInput().getType() == getType()) return getInput();
    if (auto inner = getInput().getDefiningOp<BroadcastOp>()) {
        getInputMutable().assign(inner.getInput());
        return getResult();
    }
    return {};
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
    auto all = [](llvm::ArrayRef<int64_t> list, int64_t value) {
        return llvm::all_of(list, [&](int64_t x) { return x == value; });
    };
    if (getInput().getType() == getType() && all(getBegin(), 0) && all(getStep(), 1))
        return getInput();
    if (auto inner = getInput().getDefiningOp<SliceOp>()) {
        llvm::SmallVector<int64_t> begin, step;
        for (size_t i = 0; i < getBegin().size(); ++i) {
            begin.push_back(inner.getBegin()[i] + getBegin()[i] * inner.getStep()[i]);
            step.push_back(getStep()[i] * inner.getStep()[i]);
        }
        setBegin(begin);
        setStep(step);
        getInputMutable().assign(inner.getInput());
        return getResult();
    }
    return {};
}

mlir::LogicalResult PadOp::fold(FoldAdaptor, llvm::SmallVectorImpl<OpFoldResult>& results) {
    if (getInputs()[0].getType() != getResults()[0].getType()) return mlir::failure();
    results.push_back(getInputs()[0]);
    return mlir::success();
}

mlir::LogicalResult MapOp::fold(FoldAdaptor, llvm::SmallVectorImpl<OpFoldResult>& results) {
    // A map that stores what it loads, unconverted: a cast to the same type.
    for (auto [value, result] : llvm::zip(yield().getValues(), getResults())) {
        auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
        if (!argument || argument.getArgNumber() >= getInputs().size()) return mlir::failure();
        mlir::Value input = getInputs()[argument.getArgNumber()];
        if (input.getType() != result.getType()) return mlir::failure();
        results.push_back(input);
    }
    return mlir::success();
}

}  // namespace catena::ir
