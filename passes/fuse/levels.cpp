#include "passes/fuse/levels.h"

#include <limits>

#include "ir/dialect.h"
#include "passes/analysis/bytes.h"
#include "passes/analysis/sweep.h"

namespace catena::passes {

namespace {

/// Scalars and views: they need no time of their own.
bool costs_nothing(mlir::Operation& op) {
    return llvm::isa<ir::ScalarOp, ir::ReshapeOp, ir::TransposeOp, ir::BroadcastOp, ir::SliceOp>(
        op);
}

bool ends_program(mlir::Operation& op) {
    return llvm::isa<ir::AssignOp>(op) || op.hasTrait<mlir::OpTrait::IsTerminator>();
}

int64_t bytes_of_results(mlir::Operation& op) {
    int64_t bytes = 0;
    for (mlir::Value result : op.getResults()) bytes += bytes_of(result);
    return bytes;
}

}  // namespace

Levels::Levels(mlir::Block& block) {
    for (mlir::Operation& op : block) earliest_[&op] = earliest(op);
    for (mlir::Operation& op : llvm::reverse(block)) {
        int level = earliest_.lookup(&op);
        if (llvm::isa<ir::MapOp>(op))
            if (int late = latest(op);
                late > level && bytes_to_keep(op, late) <= bytes_of_results(op))
                level = late;
        level_[&op] = level;
    }
}

int Levels::earliest(mlir::Operation& op) const {
    int level = 0;
    for (mlir::Value operand : op.getOperands())
        if (mlir::Operation* producer = operand.getDefiningOp()) {
            // Operations without operands can run at the start.
            bool is_step =
                producer->getNumOperands() > 0 && !costs_nothing(*producer) && !Sweep::of(producer);
            level = std::max(level, earliest_.lookup(producer) + is_step);
        }
    return level;
}

int Levels::latest(mlir::Operation& op) const {
    constexpr int never = std::numeric_limits<int>::max();
    int level = never;
    for (mlir::Operation* user : op.getUsers()) {
        if (ends_program(*user)) continue;
        std::optional<Sweep> sweep = Sweep::of(user);
        if (!sweep || sweep->domain != Sweep::of(&op)->domain) return earliest_.lookup(&op);
        level = std::min(level, level_.lookup(user));
    }
    // Values used only as outputs are computed as early as possible.
    return level == never ? earliest_.lookup(&op) : level;
}

int64_t Levels::bytes_to_keep(mlir::Operation& op, int latest) const {
    int64_t bytes = 0;
    llvm::SmallPtrSet<mlir::Operation*, 4> seen;
    for (mlir::Value operand : op.getOperands()) {
        mlir::Operation* producer = operand.getDefiningOp();
        if (!producer || !Sweep::of(producer) || !seen.insert(producer).second) continue;
        // Users before `op` have no level yet and count as early.
        auto keeps = [&](mlir::Operation* user) {
            return user != &op && !ends_program(*user) && level_.lookup(user) >= latest;
        };
        if (llvm::none_of(producer->getUsers(), keeps)) bytes += bytes_of_results(*producer);
    }
    return bytes;
}

}  // namespace catena::passes
