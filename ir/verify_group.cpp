// The invariants of catena.group, numbered as in its description.
#include "ir/dialect.h"
#include "ir/types.h"
#include "runtime/core/system/error.h"

namespace catena::ir {

using mlir::LogicalResult;

namespace {

/// `shape` with 1s in front up to `rank`.
Shape padded(const Shape& shape, int rank) {
    Shape result = Shape::filled(rank - shape.rank(), 1);
    for (int64_t size : shape) result.push_back(size);
    return result;
}

class GroupCheck {
public:
    explicit GroupCheck(GroupOp group)
        : group_(group), domain_(std::span<const int64_t>(group.getDomain())) {}

    LogicalResult run() {
        if (mlir::failed(check_signature())) return mlir::failure();
        for (mlir::BlockArgument argument : group_.getBody().getArguments())
            if (llvm::isa<mlir::RankedTensorType>(argument.getType()) &&
                mlir::failed(fits(argument)))
                return mlir::failure();
        for (mlir::Operation& op : group_.getBody().front().without_terminator())
            if (mlir::failed(check(op))) return mlir::failure();
        return mlir::success();
    }

private:
    LogicalResult check_signature() {
        if (group_.getBody().getArgumentTypes() != group_.getOperandTypes())
            return group_.emitOpError("region arguments must mirror the operands");
        if (group_.yield().getOperandTypes() != group_.getResultTypes())
            return group_.emitOpError("region must yield the results' types");
        for (int64_t last = -1; int64_t axis : group_.getReduced()) {
            if (axis <= last || axis >= domain_.rank())
                return group_.emitOpError(
                           "reduced dimensions must be ascending and within the domain, got ")
                       << axis;
            last = axis;
        }
        return mlir::success();
    }

    // (1)
    LogicalResult fits(mlir::Value value) {
        Shape shape = shape_of(value);
        bool good = shape.rank() <= domain_.rank();
        for (int i = 0; good && i < shape.rank(); ++i) {
            int64_t size = domain_[domain_.rank() - shape.rank() + i];
            good = shape[i] == 1 || shape[i] == size;
        }
        if (good) return mlir::success();
        return group_.emitOpError("value of shape ")
               << to_string(shape) << " does not fit the domain " << to_string(domain_);
    }

    LogicalResult check(mlir::Operation& op) {
        for (mlir::Value result : op.getResults())
            if (mlir::failed(fits(result))) return mlir::failure();
        if (auto reduce = llvm::dyn_cast<ReduceOp>(op)) return check_reduce(reduce);
        if (auto map = llvm::dyn_cast<MapOp>(op)) return check_reads(map);
        if (auto reshape = llvm::dyn_cast<ReshapeOp>(op)) return check_reshape(reshape);
        return group_.emitOpError("may not hold '") << op.getName() << "'";
    }

    // (2)
    LogicalResult check_reduce(ReduceOp reduce) {
        Shape shape = shape_of(reduce.getInput());
        if (padded(shape, domain_.rank()) != domain_)
            return reduce.emitOpError("inside a group must take the whole domain ")
                   << to_string(domain_) << ", not " << to_string(shape);
        int offset = domain_.rank() - shape.rank();
        int equal = -1,
            other = -1;  // The first dimension where the group does the same, and the opposite.
        bool has_rows = false;
        for (int i = 0; i < domain_.rank(); ++i) {
            if (domain_[i] == 1) continue;
            bool here = llvm::is_contained(reduce.getAxes(), i - offset);
            bool group = llvm::is_contained(group_.getReduced(), i);
            has_rows |= group;
            if (int& first = here == group ? equal : other; first < 0) first = i;
        }
        if (other < 0) return check_reads(reduce);
        if (equal >= 0 || !has_rows || !group_.reduces_rows())
            return reduce.emitOpError("must reduce the group's dimensions; they differ in ")
                   << other;
        for (mlir::Operation* user : reduce->getUsers())
            if (!llvm::isa<YieldOp>(user))
                return reduce.emitOpError(
                           "reduces columns, which end after the last row, and is read by '")
                       << user->getName() << "' inside the group";
        return check_reads(reduce);
    }

    // (4)
    LogicalResult check_reads(mlir::Operation* op) {
        if (group_.reduces_rows() || !is_full(reads_shape(op))) return mlir::success();
        for (mlir::Value operand : op->getOperands())
            if (operand.getDefiningOp() && !is_full(shape_of(operand)))
                return op->emitOpError(
                    "reads a reduced value over the domain, but the reduced dimensions are not the "
                    "last");
        return mlir::success();
    }

    LogicalResult check_reshape(ReshapeOp reshape) {
        int rank = domain_.rank();
        if (padded(shape_of(reshape.getInput()), rank) ==
            padded(shape_of(reshape.getResult()), rank))
            return mlir::success();
        return reshape.emitOpError(
            "inside a group may only add or drop leading dimensions of size 1");
    }

    Shape reads_shape(mlir::Operation* op) {
        auto reduce = llvm::dyn_cast<ReduceOp>(op);
        return shape_of(reduce ? mlir::Value(reduce.getInput()) : op->getResult(0));
    }
    bool is_full(const Shape& shape) { return padded(shape, domain_.rank()) == domain_; }

    GroupOp group_;
    Shape domain_;
};

}  // namespace

LogicalResult GroupOp::verifyRegions() {
    if (getDomain().size() > size_t(max_rank))
        return emitOpError("domain has at most ") << max_rank << " dimensions";
    return GroupCheck(*this).run();
}

}  // namespace catena::ir
