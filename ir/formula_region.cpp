#include "ir/formula_region.h"

#include <cmath>

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "ir/dialect.h"
#include "ir/types.h"
#include "runtime/core/system/error.h"

namespace catena::ir {

namespace {

class RegionBuilder {
public:
    RegionBuilder(mlir::Region& region, mlir::Location location, llvm::StringRef function,
                  const Formula& formula, Dtype compute)
        : b_(region.getContext()),
          location_(location),
          function_(function),
          formula_(formula),
          compute_(element_type(compute, region.getContext())) {
        int arguments = formula.input_count + formula.scalar_count;
        block_ = b_.createBlock(&region, {}, llvm::SmallVector<mlir::Type>(arguments, compute_),
                                llvm::SmallVector<mlir::Location>(arguments, location));
    }

    void run(llvm::ArrayRef<Dtype> results) {
        values_.reserve(formula_.nodes.size());
        for (const Formula::Node& node : formula_.nodes) values_.push_back(value_of(node));
        llvm::SmallVector<mlir::Value> yielded;
        for (size_t i = 0; i < results.size(); ++i)
            yielded.push_back(stored(values_[formula_.outputs[i]], results[i] == Dtype::bool_));
        YieldOp::create(b_, location_, yielded);
    }

private:
    bool on_floats() const { return llvm::isa<mlir::FloatType>(compute_); }

    mlir::Value value_of(const Formula::Node& node) {
        switch (node.leaf) {
            case Formula::Leaf::input:
                return block_->getArgument(node.args[0]);
            case Formula::Leaf::scalar:
                return block_->getArgument(formula_.input_count + node.args[0]);
            case Formula::Leaf::literal:
                return node.is_bool ? truth(node.literal != 0) : constant(node.literal);
            case Formula::Leaf::none:
                break;
        }
        return computed(node);
    }

    mlir::Value truth(bool value) {
        return mlir::arith::ConstantOp::create(b_, location_, b_.getBoolAttr(value));
    }

    mlir::Value constant(double value) {
        mlir::TypedAttr attribute;
        if (on_floats())
            attribute = b_.getFloatAttr(compute_, value);
        else
            attribute = b_.getI64IntegerAttr(int64_t(value));
        return mlir::arith::ConstantOp::create(b_, location_, attribute);
    }

    mlir::Value computed(const Formula::Node& node) {
        const IntrinsicInfo& info = info_of(node.op);
        llvm::SmallVector<mlir::Value, 3> arguments;
        for (int i = 0; i < info.arity; ++i) arguments.push_back(values_[node.args[i]]);
        // Two intrinsics that need a constant in arith.
        if (node.op == Intrinsic::logical_not)
            return emit("arith.xori", {arguments[0], truth(true)}, b_.getI1Type());
        if (node.op == Intrinsic::neg && !on_floats())
            return emit("arith.subi", {constant(0), arguments[0]}, compute_);
        std::string_view name = on_floats() ? info.float_op : info.int_op;
        if (name.empty())
            fail<CompileError>(
                "{}: its formula needs {}, which does not exist on integers; cast the "
                "input to a float dtype",
                function_.str(), info.name);
        return emit(name, arguments, info.gives_bool ? b_.getI1Type() : compute_);
    }

    /// Creates the operation `name`, whose predicate follows a colon.
    mlir::Value emit(llvm::StringRef name, mlir::ValueRange arguments, mlir::Type result) {
        auto [operation, predicate] = name.split(':');
        mlir::OperationState state(location_, operation, arguments, {result});
        if (auto p = mlir::arith::symbolizeCmpFPredicate(predicate); p && on_floats())
            state.addAttribute("predicate",
                               mlir::arith::CmpFPredicateAttr::get(b_.getContext(), *p));
        else if (auto p = mlir::arith::symbolizeCmpIPredicate(predicate))
            state.addAttribute("predicate",
                               mlir::arith::CmpIPredicateAttr::get(b_.getContext(), *p));
        return b_.create(state)->getResult(0);
    }

    mlir::Value stored(mlir::Value value, bool as_bool) {
        bool is_bool = value.getType().isInteger(1);
        if (is_bool == as_bool) return value;
        const IntrinsicInfo& info = info_of(as_bool ? Intrinsic::ne : Intrinsic::as_number);
        std::string_view name = on_floats() ? info.float_op : info.int_op;
        return as_bool ? emit(name, {value, constant(0)}, b_.getI1Type())
                       : emit(name, value, compute_);
    }

    mlir::OpBuilder b_;
    mlir::Location location_;
    llvm::StringRef function_;
    const Formula& formula_;
    mlir::Type compute_;
    mlir::Block* block_;
    llvm::SmallVector<mlir::Value> values_;  ///< The values of the formula, indexed by node.
};

}  // namespace

void build_formula_region(mlir::Region& region, mlir::Location location, llvm::StringRef function,
                          const Formula& formula, Dtype compute, llvm::ArrayRef<Dtype> results) {
    RegionBuilder(region, location, function, formula, compute).run(results);
}

}  // namespace catena::ir
