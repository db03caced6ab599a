#include "ir/types.h"
#include "passes/analysis/change_limit.h"
#include "passes/analysis/place.h"
#include "passes/passes.h"
#include "passes/tail_steps.h"
#include "runtime/ops/declare/border.h"

namespace catena::passes {

#define GEN_PASS_DEF_TAILS
#include "passes/passes.h.inc"

namespace {

const OpDef* op_of(mlir::Operation* op) {
    auto call = llvm::dyn_cast_if_present<ir::LibraryCall>(op);
    return call ? find_op(std::string_view(call.getFunction())) : nullptr;
}

/// Whether an operation changes states: weights that one call reads the next may change.
bool changes_states(mlir::Operation& op) {
    return llvm::isa<ir::AssignOp>(op) || op_of(&op) == &border_op();
}

/// What is known of the magnitudes of a tensor: a tensor of one element, or null.
mlir::Value range_of(mlir::Value value) {
    for (;;) {
        auto result = llvm::dyn_cast<mlir::OpResult>(value);
        if (!result || result.getResultNumber() != 0) return {};
        mlir::Operation* const op = result.getOwner();
        const OpDef* const called = op_of(op);
        if (called && is_tailed_form(*called)) return op->getResult(1);
        const bool is_view =
            llvm::isa<ir::ReshapeOp, ir::TransposeOp, ir::BroadcastOp, ir::SliceOp>(op);
        if (!is_view && !(called && keeps_range(*called))) return {};
        value = op->getOperand(0);
    }
}

void give_tail(mlir::Operation& op) {
    const OpDef* const called = op_of(&op);
    const OpDef* const tailed = called ? tailed_form(*called) : nullptr;
    if (!tailed || op.getNumResults() != 1 || !llvm::isa<mlir::BlockArgument>(op.getOperand(1)))
        return;
    for (mlir::Type type :
         {op.getOperand(0).getType(), op.getOperand(1).getType(), op.getResult(0).getType()})
        if (ir::type_of(type).dtype != Dtype::float32) return;
    const auto attributes = ir::to_attributes(llvm::cast<ir::LibraryCall>(op).getCallAttributes());
    TailSteps steps(op.getResult(0));
    if (mlir::failed(attributes) || steps.maps().empty()) return;
    if (!ChangeLimit::instance().allows("tails", [&] { return place_of(&op); })) return;
    steps.replace_by(*tailed, &op, *attributes, range_of(op.getOperand(0)));
}

class TailsPass : public impl::TailsBase<TailsPass> {
public:
    void runOnOperation() override {
        if (getOperation().isExternal()) return;
        mlir::Block& block = getOperation().getBody().front();
        if (llvm::any_of(block, changes_states)) return;
        // In order: what is before a call tells the range of what it reads.
        llvm::SmallVector<mlir::Operation*> calls;
        for (mlir::Operation& op : block)
            if (llvm::isa<ir::LibraryCall>(op)) calls.push_back(&op);
        for (mlir::Operation* op : calls) give_tail(*op);
    }
};

}  // namespace

}  // namespace catena::passes
