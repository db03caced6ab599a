// The invariants of all operations except groups (verify_group.cpp). Uses the runtime's type rules
// where they exist.
#include "ir/type_rule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "ir/dialect.h"
#include "ir/types.h"
#include "runtime/core/system/error.h"

namespace catena::ir {

using mlir::LogicalResult;

namespace {

bool is_permutation(llvm::ArrayRef<int64_t> axes, int rank) {
    llvm::SmallVector<bool> seen(rank, false);
    for (int64_t axis : axes) {
        if (axis < 0 || axis >= rank || seen[axis]) return false;
        seen[axis] = true;
    }
    return int(axes.size()) == rank;
}

/// NumPy: `from` aligned at the last dimension, each of its sizes equal or 1.
bool broadcasts_to(const Shape& from, const Shape& to) {
    if (from.rank() > to.rank()) return false;
    for (int i = 0; i < from.rank(); ++i)
        if (int64_t size = from[i]; size != 1 && size != to[to.rank() - from.rank() + i])
            return false;
    return true;
}

LogicalResult same_dtype(mlir::Operation* op, mlir::Value input, mlir::Value result) {
    if (type_of(input).dtype == type_of(result).dtype) return mlir::success();
    return op->emitOpError("gives the elements it takes, so the result must be ")
           << mlir::getElementTypeOrSelf(input.getType()) << " as the input, not "
           << mlir::getElementTypeOrSelf(result.getType());
}

LogicalResult must_be(mlir::Operation* op, const Type& result, const Shape& right) {
    if (result.shape == right) return mlir::success();
    return op->emitOpError("gives shape ")
           << to_string(right) << ", not " << to_string(result.shape);
}

}  // namespace

LogicalResult ScalarOp::verify() {
    if (int64_t(getIndex()) < 0)
        return emitOpError("index must not be negative, is ") << int64_t(getIndex());
    return mlir::success();
}

LogicalResult ReduceOp::verify() {
    Type x = type_of(getInput()), y = type_of(getResult());
    Shape right = x.shape;
    for (int64_t last = -1; int64_t axis : getAxes()) {
        if (axis <= last || axis >= x.shape.rank())
            return emitOpError("axes must be ascending and in [0, ")
                   << x.shape.rank() << "), got " << axis;
        right[axis] = 1;
        last = axis;
    }
    if (mlir::failed(must_be(*this, y, right))) return mlir::failure();
    Attributes attributes{{"axes", Axes(std::span<const int64_t>(getAxes()))}, {"keepdims", true}};
    return verify_type_rule(*this, getFunction(), {x}, attributes, {y});
}

LogicalResult ReshapeOp::verify() {
    Type x = type_of(getInput()), y = type_of(getResult());
    if (element_count(x.shape) != element_count(y.shape))
        return emitOpError("keeps the number of elements: ")
               << to_string(x.shape) << " has " << element_count(x.shape) << ", "
               << to_string(y.shape) << " has " << element_count(y.shape);
    return same_dtype(*this, getInput(), getResult());
}

LogicalResult TransposeOp::verify() {
    Type x = type_of(getInput()), y = type_of(getResult());
    if (!is_permutation(getAxes(), x.shape.rank()))
        return emitOpError("axes must be a permutation of the input's ")
               << x.shape.rank() << " dimensions";
    Shape right;
    for (int64_t axis : getAxes()) right.push_back(x.shape[axis]);
    if (mlir::failed(must_be(*this, y, right))) return mlir::failure();
    return same_dtype(*this, getInput(), getResult());
}

LogicalResult BroadcastOp::verify() {
    Type x = type_of(getInput()), y = type_of(getResult());
    if (!broadcasts_to(x.shape, y.shape))
        return emitOpError("cannot repeat ") << to_string(x.shape) << " to " << to_string(y.shape);
    return same_dtype(*this, getInput(), getResult());
}

LogicalResult SliceOp::verify() {
    Type x = type_of(getInput()), y = type_of(getResult());
    int rank = x.shape.rank();
    if (int(getBegin().size()) != rank || int(getStep().size()) != rank || y.shape.rank() != rank)
        return emitOpError("begin, step and the result have the input's rank ") << rank;
    for (int i = 0; i < rank; ++i) {
        if (y.shape[i] == 0) continue;
        int64_t first = getBegin()[i], last = first + (y.shape[i] - 1) * getStep()[i];
        if (std::min(first, last) < 0 || std::max(first, last) >= x.shape[i])
            return emitOpError("reads elements ") << first << " to " << last << " of dimension "
                                                  << i << ", which has " << x.shape[i];
    }
    return same_dtype(*this, getInput(), getResult());
}

LogicalResult MapOp::verify() {
    if (getResults().empty()) return emitOpError("needs a result");
    Shape shape = shape_of(getResults().front());
    for (mlir::Value result : getResults())
        if (mlir::failed(must_be(*this, type_of(result), shape))) return mlir::failure();
    for (mlir::Value input : getInputs())
        if (!broadcasts_to(shape_of(input), shape))
            return emitOpError("input of shape ")
                   << to_string(shape_of(input)) << " does not broadcast to " << to_string(shape);
    return mlir::success();
}

LogicalResult MapOp::verifyRegions() {
    mlir::Block& block = getBody().front();
    if (block.getNumArguments() != getNumOperands())
        return emitOpError("region needs one argument per input and scalar: ")
               << getNumOperands() << ", has " << block.getNumArguments();
    mlir::Type compute = compute_type();
    for (mlir::Type type : block.getArgumentTypes())
        if (type != compute || !(type.isF32() || type.isF64() || type.isInteger(64)))
            return emitOpError("region arguments must all be f32, f64 or i64, got ") << type;
    for (mlir::Operation& op : block.without_terminator()) {
        llvm::StringRef dialect = op.getName().getDialectNamespace();
        if (dialect != "arith" && dialect != "math")
            return emitOpError("region may hold arith and math operations only, not '")
                   << op.getName() << "'";
    }
    if (yield().getNumOperands() != getNumResults())
        return emitOpError("region yields ")
               << yield().getNumOperands() << " values for " << getNumResults() << " results";
    for (auto [value, result] : llvm::zip(yield().getValues(), getResults())) {
        bool truth = type_of(result).dtype == Dtype::bool_;
        if (truth ? !value.getType().isInteger(1) : value.getType() != compute)
            return emitOpError("must yield ")
                   << (truth ? "i1" : "the type computed in") << " for a result of type "
                   << result.getType() << ", not " << value.getType();
    }
    return mlir::success();
}

LogicalResult AssignOp::verify() {
    auto state = llvm::dyn_cast<mlir::BlockArgument>(getState());
    auto function = llvm::dyn_cast<mlir::func::FuncOp>((*this)->getParentOp());
    auto role = state && function ? function.getArgAttrOfType<mlir::StringAttr>(
                                        state.getArgNumber(), role_attribute)
                                  : mlir::StringAttr();
    if (!role || role.getValue() != "state")
        return emitOpError("target must be an argument of the program with ")
               << role_attribute << " = \"state\"";
    for (mlir::Operation* user : getState().getUsers())
        if (auto other = llvm::dyn_cast<AssignOp>(user);
            other && other != *this && other.getState() == getState())
            return emitOpError("assigns a state a second time");
    return mlir::success();
}

LogicalResult verify_library_call(LibraryCall call) {
    std::string bad;
    mlir::FailureOr<Attributes> attributes = to_attributes(call.getCallAttributes(), &bad);
    if (mlir::failed(attributes))
        return call->emitOpError("attribute '")
               << bad << "' must be a bool, i64, f64, string or list of at most " << max_rank
               << " integers";
    llvm::SmallVector<Type> inputs, outputs;
    for (mlir::Value x : call.getInputs()) inputs.push_back(type_of(x));
    for (mlir::Value y : call->getResults()) outputs.push_back(type_of(y));
    return verify_type_rule(call, call.getFunction(), inputs, *attributes, outputs);
}

}  // namespace catena::ir
