#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "passes/analysis/change_limit.h"
#include "passes/analysis/place.h"
#include "passes/passes.h"

namespace catena::passes {

#define GEN_PASS_DEF_DROPDEAD
#include "passes/passes.h.inc"

namespace {

/// The same map with only the results that are used.
ir::MapOp drop_unused_results(ir::MapOp map) {
    llvm::SmallVector<mlir::Type> types;
    llvm::SmallVector<mlir::Value> used, yielded;
    for (auto [result, value] : llvm::zip(map.getResults(), map.yield().getValues())) {
        if (result.use_empty()) continue;
        types.push_back(result.getType());
        used.push_back(result);
        yielded.push_back(value);
    }
    if (used.size() == map.getNumResults()) return map;
    if (!ChangeLimit::instance().allows("drop-dead", [&] { return "results of " + place_of(map); }))
        return map;
    mlir::OpBuilder b(map);
    auto smaller = ir::MapOp::create(b, map.getLoc(), types, map.getFunction(), map.getInputs(),
                                     map.getScalars());
    smaller.getBody().takeBody(map.getBody());
    smaller.yield().getValuesMutable().assign(yielded);
    for (auto [old, fresh] : llvm::zip(used, smaller.getResults())) old.replaceAllUsesWith(fresh);
    map.erase();
    return smaller;
}

void drop_dead(mlir::Block& block) {
    // Backwards, so that operands used only by dead operations are dead when visited.
    for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block))) {
        if (mlir::isOpTriviallyDead(&op))
            op.erase();
        else if (auto map = llvm::dyn_cast<ir::MapOp>(op))
            drop_dead(drop_unused_results(map).getBody().front());
    }
}

class DropDeadPass : public impl::DropDeadBase<DropDeadPass> {
public:
    void runOnOperation() override {
        if (!getOperation().isExternal()) drop_dead(getOperation().getBody().front());
    }
};

}  // namespace

}  // namespace catena::passes
