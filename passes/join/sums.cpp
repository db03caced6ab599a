#include "passes/join/sums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#include "passes/analysis/sweep.h"

namespace catena::passes {
namespace {

/// A map that adds two tensors of its own shape.
bool is_addition(mlir::Operation* op) {
    auto map = llvm::dyn_cast_if_present<ir::MapOp>(op);
    if (!map || map.getInputs().size() != 2 || !map.getScalars().empty() ||
        map.getNumResults() != 1)
        return false;
    mlir::Block& body = map.getBody().front();
    mlir::Operation& first = body.front();
    if (!llvm::isa<mlir::arith::AddFOp, mlir::arith::AddIOp>(first) ||
        first.getNextNode() != body.getTerminator())
        return false;
    if (first.getOperand(0) == first.getOperand(1) ||
        map.yield().getOperand(0) != first.getResult(0))
        return false;
    mlir::Type element = mlir::getElementTypeOrSelf(map.getResult(0).getType());
    return !element.isInteger(1) && llvm::all_of(map.getInputs(), [&](mlir::Value input) {
        auto type = llvm::cast<mlir::RankedTensorType>(input.getType());
        return type.getElementType() == element &&
               aligned_shape(type.getShape()) == aligned_shape(map.shape());
    });
}

}  // namespace

bool is_sum(mlir::Operation* op) {
    if (!is_addition(op)) return false;
    const mlir::Value sum = op->getResult(0);
    return !(sum.hasOneUse() && is_addition(*sum.user_begin()));
}

llvm::SmallVector<mlir::Value> terms_of(ir::MapOp sum) {
    llvm::SmallVector<mlir::Value> terms, open = {sum.getInputs()[1], sum.getInputs()[0]};
    while (!open.empty()) {
        mlir::Value value = open.pop_back_val();
        if (mlir::Operation* op = value.getDefiningOp(); is_addition(op) && value.hasOneUse()) {
            open.push_back(op->getOperand(1));
            open.push_back(op->getOperand(0));
        } else {
            terms.push_back(value);
        }
    }
    return terms;
}

mlir::Value with_type(mlir::Type type, mlir::Value value, ir::MapOp sum, mlir::OpBuilder& builder) {
    if (value.getType() == type) return value;
    return ir::ReshapeOp::create(builder, sum.getLoc(), type, sum.getFunctionAttr(), value);
}

void rebuild_sum(ir::MapOp root, llvm::ArrayRef<mlir::Value> terms, const ReplacedTerms& replaced) {
    mlir::OpBuilder builder(root);
    mlir::Value sum;
    for (mlir::Value term : terms) {
        auto found = replaced.find(term);
        mlir::Value next = found == replaced.end() ? term : found->second;
        if (!next) continue;
        if (!sum) {
            sum = next;
            continue;
        }
        mlir::Operation* addition = builder.clone(*root);
        addition->setOperands({sum, next});
        sum = addition->getResult(0);
    }
    sum = with_type(root.getResult(0).getType(), sum, root, builder);
    root.getResult(0).replaceAllUsesWith(sum);
    root.erase();
}

}  // namespace catena::passes
