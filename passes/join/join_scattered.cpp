#include "passes/join/join_scattered.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/dialect.h"
#include "passes/analysis/change_limit.h"
#include "passes/analysis/place.h"
#include "passes/join/sums.h"
#include "runtime/ops/declare/onto.h"

namespace catena::passes {
namespace {

/// The library call whose only result is a term of this sum and of nothing else; null: none.
mlir::Operation* only_for_sum(mlir::Value term) {
    mlir::Operation* const op = term.getDefiningOp();
    return llvm::isa_and_present<ir::LibraryCall>(op) && op->getNumResults() == 1 &&
                   term.hasOneUse()
               ? op
               : nullptr;
}

const OpDef* onto_form_of(mlir::Operation* op) {
    const OpDef* const called =
        op ? find_op(std::string_view(llvm::cast<ir::LibraryCall>(op).getFunction())) : nullptr;
    return called ? onto_form(*called) : nullptr;
}

/// `call`, but added to `base`.
mlir::Value add_onto(mlir::OpBuilder& builder, mlir::Value base, mlir::Operation* call,
                     const OpDef& onto) {
    llvm::SmallVector<mlir::Value> inputs{base};
    llvm::append_range(inputs, call->getOperands());
    const mlir::Location location = builder.getFusedLoc(
        {call->getLoc(), (*call->user_begin())->getLoc()});  // Both the call and the addition.
    return ir::ScatterOp::create(builder, location, mlir::TypeRange(base.getType()),
                                 builder.getStringAttr(onto.name), inputs, mlir::ValueRange(),
                                 llvm::cast<ir::LibraryCall>(call).getCallAttributes())
        ->getResult(0);
}

/// The other terms are added to the first one that another call makes, or else to the first of
/// them.
void accumulate(ir::MapOp sum, std::vector<std::string>& notes) {
    const llvm::SmallVector<mlir::Value> terms = terms_of(sum);
    const auto is_base = [](mlir::Value term) {
        return only_for_sum(term) && !onto_form_of(only_for_sum(term));
    };
    const auto* base = llvm::find_if(terms, is_base);
    if (base == terms.end())
        base = llvm::find_if(terms, [](mlir::Value term) { return only_for_sum(term); });
    if (base == terms.end()) return;
    mlir::OpBuilder builder(sum);
    ReplacedTerms replaced;
    mlir::Value total = *base;
    for (mlir::Value term : terms) {
        mlir::Operation* const call = only_for_sum(term);
        const OpDef* const onto = onto_form_of(call);
        if (term == *base || !onto || term.getType() != total.getType() ||
            !llvm::isa<ir::ScatterOp>(call))
            continue;
        const auto text = [&] {
            return "the result of " + place_of(call) + " is added to that of " +
                   place_of(base->getDefiningOp()) + " in place";
        };
        if (!ChangeLimit::instance().allows("join-calls", text)) continue;
        total = add_onto(builder, total, call, *onto);
        replaced[term] = {};
        notes.push_back(text());
    }
    if (replaced.empty()) return;
    replaced[*base] = total;
    rebuild_sum(sum, terms, replaced);
}

}  // namespace

std::vector<std::string> join_scattered(mlir::Block& block) {
    std::vector<std::string> notes;
    for (mlir::Operation& op : llvm::make_early_inc_range(block))
        if (is_sum(&op)) accumulate(llvm::cast<ir::MapOp>(op), notes);
    if (notes.empty()) return notes;
    // The former calls, and what is left of sums of more than two.
    for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (mlir::isOpTriviallyDead(&op)) op.erase();
    return notes;
}

}  // namespace catena::passes
