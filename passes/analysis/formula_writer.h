#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include "ir/dialect.h"

namespace catena::passes {

/// Builds maps and sums of one element type, before an existing sum.
class FormulaWriter {
public:
    explicit FormulaWriter(ir::ReduceOp before)
        : b_(before),
          loc_(before.getLoc()),
          sum_(before.getFunctionAttr()),
          element_(llvm::cast<mlir::RankedTensorType>(before.getType()).getElementType()) {}

    mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> axes) {
        llvm::SmallVector<int64_t> shape(
            llvm::cast<mlir::RankedTensorType>(x.getType()).getShape());
        for (int64_t axis : axes) shape[size_t(axis)] = 1;
        return ir::ReduceOp::create(b_, loc_, mlir::RankedTensorType::get(shape, element_),
                                    sum_.getValue(), x, ir::Combine::sum, axes);
    }
    /// Builds the map `formula(arguments)` at every index of `shape`.
    template <class Formula>
    mlir::Value map(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<mlir::Value> inputs, Formula formula) {
        llvm::SmallVector<mlir::Type> types{mlir::RankedTensorType::get(shape, element_)};
        auto map = ir::MapOp::create(b_, loc_, types, name, inputs, mlir::ValueRange());
        const mlir::OpBuilder::InsertionGuard guard(b_);
        mlir::Block* body = b_.createBlock(&map.getBody());
        for (size_t i = 0; i < inputs.size(); ++i) body->addArgument(element_, loc_);
        ir::YieldOp::create(b_, loc_, mlir::ValueRange(formula(body->getArguments())));
        return map.getResult(0);
    }
    mlir::Value number(double value) {
        return mlir::arith::ConstantOp::create(b_, loc_, b_.getFloatAttr(element_, value));
    }
    mlir::Value add(mlir::Value x, mlir::Value y) {
        return mlir::arith::AddFOp::create(b_, loc_, x, y);
    }
    mlir::Value subtract(mlir::Value x, mlir::Value y) {
        return mlir::arith::SubFOp::create(b_, loc_, x, y);
    }
    mlir::Value multiply(mlir::Value x, mlir::Value y) {
        return mlir::arith::MulFOp::create(b_, loc_, x, y);
    }
    mlir::Value divide(mlir::Value x, mlir::Value y) {
        return mlir::arith::DivFOp::create(b_, loc_, x, y);
    }

private:
    mlir::OpBuilder b_;
    mlir::Location loc_;
    mlir::StringAttr sum_;  ///< The name of new sums.
    mlir::Type element_;
};

}  // namespace catena::passes
