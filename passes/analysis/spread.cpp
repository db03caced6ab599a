#include "passes/analysis/spread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace catena::passes {
namespace {

bool is_sum(ir::ReduceOp reduce) { return reduce && reduce.getCombine() == ir::Combine::sum; }

/// Whether a map of `inputs` arrays yields `Op` of its arguments `left` and `right` and nothing
/// else.
template <class Op>
bool computes(ir::MapOp map, unsigned inputs, unsigned left, unsigned right) {
    if (!map || map.getInputs().size() != inputs || !map.getScalars().empty() ||
        map.getNumResults() != 1)
        return false;
    mlir::Block& body = map.getBody().front();
    auto op = llvm::dyn_cast<Op>(body.front());
    return op && body.without_terminator().end() == std::next(body.begin()) &&
           op.getLhs() == body.getArgument(left) && op.getRhs() == body.getArgument(right) &&
           map.yield().getValues()[0] == op.getResult();
}

}  // namespace

std::optional<Spread> spread_of(ir::ReduceOp squares) {
    if (!is_sum(squares)) return std::nullopt;
    auto square = squares.getInput().getDefiningOp<ir::MapOp>();
    if (!computes<mlir::arith::MulFOp>(square, 1, 0, 0)) return std::nullopt;
    auto difference = square.getInputs()[0].getDefiningOp<ir::MapOp>();
    if (!computes<mlir::arith::SubFOp>(difference, 2, 0, 1)) return std::nullopt;
    Spread spread{.squares = squares,
                  .sum = {},
                  .x = difference.getInputs()[0],
                  .centre = difference.getInputs()[1]};
    // One type throughout: nothing is rounded between.
    const mlir::Type element =
        llvm::cast<mlir::RankedTensorType>(spread.x.getType()).getElementType();
    if (!element.isF32() && !element.isF64()) return std::nullopt;
    if (square.getResult(0).getType() != spread.x.getType() ||
        difference.getResult(0).getType() != spread.x.getType() ||
        spread.centre.getType() != squares.getType())
        return std::nullopt;
    auto from_sum = spread.centre.getDefiningOp<ir::MapOp>();
    if (!from_sum) return std::nullopt;
    for (mlir::Value input : from_sum.getInputs())
        if (auto sum = input.getDefiningOp<ir::ReduceOp>();
            is_sum(sum) && sum.getInput() == spread.x && sum.getAxes() == squares.getAxes() &&
            sum.getType() == squares.getType())
            spread.sum = sum;
    return spread.sum ? std::optional(spread) : std::nullopt;
}

void Spread::erase() {
    mlir::Operation* const square = squares.getInput().getDefiningOp();
    mlir::Operation* const difference = square->getOperand(0).getDefiningOp();
    squares.erase();
    for (mlir::Operation* op : {square, difference})
        if (op->use_empty()) op->erase();
}

}  // namespace catena::passes
