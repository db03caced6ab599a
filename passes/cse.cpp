#include "passes/cse.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "passes/analysis/change_limit.h"
#include "passes/analysis/place.h"
#include "passes/passes.h"

namespace catena::passes {

#define GEN_PASS_DEF_CSE
#include "passes/passes.h.inc"

namespace {

using Equivalence = mlir::OperationEquivalence;

/// Equality of operations, ignoring locations.
struct ByMeaning : llvm::DenseMapInfo<mlir::Operation*> {
    static unsigned getHashValue(const mlir::Operation* op) {
        return unsigned(
            Equivalence::computeHash(const_cast<mlir::Operation*>(op), Equivalence::directHashValue,
                                     Equivalence::ignoreHashValue, Equivalence::IgnoreLocations));
    }
    static bool isEqual(const mlir::Operation* a, const mlir::Operation* b) {
        if (a == b) return true;
        if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() ||
            b == getTombstoneKey())
            return false;
        return Equivalence::isEquivalentTo(const_cast<mlir::Operation*>(a),
                                           const_cast<mlir::Operation*>(b),
                                           Equivalence::IgnoreLocations);
    }
};

class CsePass : public impl::CseBase<CsePass> {
public:
    void runOnOperation() override {
        if (!getOperation().isExternal()) remove_common(getOperation().getBody().front());
    }
};

}  // namespace

void remove_common(mlir::Block& block) {
    llvm::DenseSet<mlir::Operation*, ByMeaning> known;
    for (mlir::Operation& op : llvm::make_early_inc_range(block.without_terminator())) {
        if (!mlir::isMemoryEffectFree(&op)) continue;
        auto [first, is_new] = known.insert(&op);
        if (is_new || !ChangeLimit::instance().allows(
                          "cse", [&] { return place_of(&op) + " is " + place_of(*first); }))
            continue;
        op.replaceAllUsesWith((*first)->getResults());
        op.erase();
    }
}

}  // namespace catena::passes
