#include "passes/in_place.h"

#include "ir/dialect.h"
#include "ir/types.h"

namespace catena::passes {

namespace {

/// Which pass over the domain writes and reads the values of a group: a value is known in the pass after as many
/// reductions as it depends on. A pass may compute anew what an earlier one had in registers, so an operand is
/// read until the last pass in which anything made from it element by element is used.
class Passes {
public:
    explicit Passes(ir::GroupOp group) {
        mlir::Block& body = group.getBody().front();
        for (mlir::Operation& op : body.without_terminator()) {
            int pass = pass_of(op);
            for (mlir::Value result : op.getResults()) known_[result] = pass + llvm::isa<ir::ReduceOp>(op);
        }
        for (mlir::Operation& op : llvm::reverse(body.without_terminator())) {
            int last = pass_of(op);
            if (!llvm::isa<ir::ReduceOp>(op))
                for (mlir::Value result : op.getResults()) last = std::max(last, last_read(result));
            for (mlir::Value operand : op.getOperands()) last_read_[operand] = std::max(last_read(operand), last);
        }
    }
    int of(mlir::Value value) const { return known_.lookup(value); }
    int last_read(mlir::Value value) const { return last_read_.lookup(value); }

private:
    int pass_of(mlir::Operation& op) const {
        int pass = 0;
        for (mlir::Value operand : op.getOperands()) pass = std::max(pass, of(operand));
        return pass;
    }

    llvm::DenseMap<mlir::Value, int> known_, last_read_;
};

/// An argument of the program that `result` is assigned to.
bool is_assigned_to(mlir::Value result, mlir::Value state) {
    return llvm::any_of(result.getUsers(), [&](mlir::Operation* user) {
        auto assign = llvm::dyn_cast<ir::AssignOp>(user);
        return assign && assign.getState() == state && assign.getValue() == result;
    });
}

class Candidates {
public:
    Candidates(ir::GroupOp group, const Liveness& liveness)
        : group_(group), liveness_(liveness), passes_(group) {}

    bool fits(int operand, int result) {
        mlir::Value x = group_.getOperand(operand), y = group_.getResult(result);
        if (x.getType() != y.getType() || !spans_domain(x) || !liveness_.is_whole(x)) return false;
        if (!dies_here(x) || !memory_allows(x, y)) return false;
        mlir::Value yielded = group_.yield().getOperand(result);
        return passes_.last_read(group_.getBody().getArgument(operand)) <= passes_.of(yielded);
    }

private:
    /// Smaller values are read at many indices.
    bool spans_domain(mlir::Value value) {
        int64_t count = 1;
        for (int64_t size : group_.getDomain()) count *= size;
        return element_count(ir::shape_of(value)) == count;
    }

    bool dies_here(mlir::Value x) {
        if (liveness_.buffer(x).last != liveness_.position(group_)) return false;
        auto same = [&](mlir::Value other) {
            return llvm::isa<mlir::RankedTensorType>(other.getType()) &&
                   liveness_.look(other).buffer == liveness_.look(x).buffer;
        };
        return llvm::count_if(group_.getInputs(), same) == 1;
    }

    bool memory_allows(mlir::Value x, mlir::Value y) {
        Buffer::Place from = liveness_.buffer(x).place, to = liveness_.buffer(y).place;
        if (from == Buffer::Place::temporary) return to == Buffer::Place::temporary;
        return from == Buffer::Place::argument && is_assigned_to(y, x);
    }

    ir::GroupOp group_;
    const Liveness& liveness_;
    Passes passes_;
};

}  // namespace

llvm::SmallVector<int64_t> in_place_operands(mlir::Operation* op, const Liveness& liveness) {
    llvm::SmallVector<int64_t> chosen(op->getNumResults(), -1);
    auto group = llvm::dyn_cast<ir::GroupOp>(op);
    if (!group) return chosen;
    Candidates candidates(group, liveness);
    for (int result = 0; result < int(chosen.size()); ++result)
        for (int operand = 0; operand < int(group.getInputs().size()); ++operand)
            if (!llvm::is_contained(chosen, operand) && candidates.fits(operand, result)) {
                chosen[result] = operand;
                break;
            }
    return chosen;
}

}  // namespace catena::passes
