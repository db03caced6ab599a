#include "passes/liveness.h"

#include "ir/dialect.h"
#include "ir/types.h"
#include "runtime/ops/movement.h"

namespace catena::passes {

namespace {

/// The look of a structural operation's result, or nothing when it has to copy.
std::optional<Look> view_of(mlir::Operation* op, const Look& x) {
    Look y = x;
    if (auto reshape = llvm::dyn_cast<ir::ReshapeOp>(op)) {
        if (!reshape_strides(ir::shape_of(reshape.getInput()), x.strides, ir::shape_of(reshape.getResult()),
                             y.strides))
            return std::nullopt;
        return y;
    }
    if (auto transpose = llvm::dyn_cast<ir::TransposeOp>(op)) {
        for (auto [i, axis] : llvm::enumerate(transpose.getAxes())) y.strides[i] = x.strides[axis];
        return y;
    }
    if (auto broadcast = llvm::dyn_cast<ir::BroadcastOp>(op)) {
        Shape from = ir::shape_of(broadcast.getInput());
        int rank = ir::shape_of(broadcast.getResult()).rank(), missing = rank - from.rank();
        y.strides = Strides::filled(rank, 0);
        for (int i = 0; i < from.rank(); ++i)
            if (from[i] != 1) y.strides[missing + i] = x.strides[i];
        return y;
    }
    if (auto slice = llvm::dyn_cast<ir::SliceOp>(op)) {
        for (int i = 0; i < y.strides.rank(); ++i) {
            y.offset += slice.getBegin()[i] * x.strides[i];
            y.strides[i] = slice.getStep()[i] * x.strides[i];
        }
        return y;
    }
    return std::nullopt;
}

}  // namespace

int64_t bytes_of(mlir::Value tensor) {
    Type type = ir::type_of(tensor);
    return element_count(type.shape) * int64_t(size_of(type.dtype));
}

Liveness::Liveness(mlir::func::FuncOp function) {
    for (mlir::BlockArgument argument : function.getArguments())
        add_buffer(argument, Buffer::Place::argument, -1);
    int position = 0;
    for (mlir::Operation& op : function.getBody().front()) visit(op, position++);
}

void Liveness::add_buffer(mlir::Value root, Buffer::Place place, int first) {
    looks_[root] = {int(buffers_.size()), 0, contiguous_strides(ir::shape_of(root))};
    buffers_.push_back({root, place, bytes_of(root), first, first});
}

void Liveness::visit(mlir::Operation& op, int position) {
    positions_[&op] = position;
    bool escapes = llvm::isa<ir::AssignOp>(op) || op.hasTrait<mlir::OpTrait::IsTerminator>();
    for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
        if (!llvm::isa<mlir::RankedTensorType>(operand.getType())) continue;
        if (llvm::isa<ir::AssignOp>(op) && i == 0) continue;  // Names the state; reads nothing.
        Buffer& buffer = buffers_[look(operand).buffer];
        buffer.last = position;
        if (escapes && buffer.place == Buffer::Place::temporary) buffer.place = Buffer::Place::output;
    }
    if (op.getNumResults() == 1 && op.getNumOperands() == 1) {
        auto x = looks_.find(op.getOperand(0));
        if (x != looks_.end())
            if (std::optional<Look> view = view_of(&op, x->second)) {
                looks_[op.getResult(0)] = *view;
                return;
            }
    }
    for (mlir::Value result : op.getResults())
        if (llvm::isa<mlir::RankedTensorType>(result.getType()))
            add_buffer(result, Buffer::Place::temporary, position);
}

bool Liveness::is_view(mlir::Operation* op) const {
    if (op->getNumResults() != 1) return false;
    auto found = looks_.find(op->getResult(0));
    return found != looks_.end() && buffers_[found->second.buffer].root != op->getResult(0);
}

bool Liveness::is_whole(mlir::Value value) const {
    const Look& x = look(value);
    return x.offset == 0 && bytes_of(value) == buffers_[x.buffer].bytes &&
           x.strides == contiguous_strides(ir::shape_of(value));
}

}  // namespace catena::passes
