#include "passes/canonicalize.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "passes/analysis/change_limit.h"
#include "passes/analysis/place.h"
#include "passes/passes.h"

namespace catena::passes {

#define GEN_PASS_DEF_CANONICALIZE
#include "passes/passes.h.inc"

namespace {

/// Counts rewrites for CATENA_PASS_LIMIT.
class Counter : public mlir::RewriterBase::Listener {
public:
    void notifyPatternBegin(const mlir::Pattern& pattern, mlir::Operation* op) override {
        pattern_ = pattern.getDebugName();
        place_ = place_of(op);
    }
    void notifyPatternEnd(const mlir::Pattern&, llvm::LogicalResult status) override {
        if (mlir::succeeded(status))
            ChangeLimit::instance().allows("canonicalize",
                                           [&] { return pattern_.str() + " at " + place_; });
    }

private:
    llvm::StringRef pattern_;
    std::string place_;
};

class CanonicalizePass : public impl::CanonicalizeBase<CanonicalizePass> {
public:
    mlir::LogicalResult initialize(mlir::MLIRContext* context) override {
        forms_ = canonical_forms(context);
        return mlir::success();
    }
    void runOnOperation() override {
        if (!getOperation().isExternal()) canonicalize(getOperation().getBody().front(), forms_);
    }

private:
    mlir::FrozenRewritePatternSet forms_;
};

}  // namespace

mlir::FrozenRewritePatternSet canonical_forms(mlir::MLIRContext* context) {
    mlir::RewritePatternSet patterns(context);
    for (mlir::RegisteredOperationName op : context->getRegisteredOperations())
        if (llvm::is_contained({"catena", "arith", "math"}, op.getDialectNamespace()))
            op.getCanonicalizationPatterns(patterns, context);
    return mlir::FrozenRewritePatternSet(std::move(patterns));
}

void canonicalize(mlir::Block& block, const mlir::FrozenRewritePatternSet& forms) {
    mlir::GreedyRewriteConfig config;
    Counter counter;
    if (ChangeLimit& limit = ChangeLimit::instance(); limit.left() >= 0) {
        // Folds have no names, so all of one run are one change.
        if (!limit.allows("canonicalize", [] { return std::string("folding"); })) return;
        config.setListener(&counter);
        config.setMaxNumRewrites(limit.left());
    }
    // Formulas were simplified when recorded. If a pattern changes one, the driver visits it by
    // itself.
    llvm::SmallVector<mlir::Operation*> operations;
    for (mlir::Operation& op : llvm::reverse(block)) operations.push_back(&op);
    (void)mlir::applyOpPatternsGreedily(operations, forms, config);
    // Removes operations that became unused: the driver only erases those already dead when
    // visited.
    for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (mlir::isOpTriviallyDead(&op)) op.erase();
}

}  // namespace catena::passes
