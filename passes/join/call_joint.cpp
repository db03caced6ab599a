#include "passes/join/call_joint.h"

#include <algorithm>

#include "ir/dialect.h"
#include "ir/types.h"
#include "passes/analysis/bytes.h"

namespace catena::passes {

namespace {

/// `type` with another size along `axis`.
mlir::RankedTensorType resized(mlir::RankedTensorType type, int axis, int64_t size) {
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape[axis] = size;
    return mlir::RankedTensorType::get(shape, type.getElementType());
}

int64_t joined_size(llvm::ArrayRef<mlir::Value> parts, int axis) {
    int64_t size = 0;
    for (mlir::Value part : parts) size += ir::tensor_type_of(part).getDimSize(axis);
    return size;
}

/// Elements [begin, begin + size) along `axis`.
mlir::Value slice(mlir::OpBuilder& builder, mlir::Location location, mlir::StringAttr function,
                  mlir::Value value, int axis, int64_t begin, int64_t size) {
    mlir::RankedTensorType type = ir::tensor_type_of(value);
    if (type.getDimSize(axis) == size) return value;
    llvm::SmallVector<int64_t> begins(type.getRank(), 0), steps(type.getRank(), 1);
    begins[axis] = begin;
    return ir::SliceOp::create(builder, location, resized(type, axis, size), function, value,
                               begins, steps);
}

/// True when a suitable concat of `parts` exists already.
bool are_joined(llvm::ArrayRef<mlir::Value> parts, int axis) {
    return llvm::any_of(parts[0].getUsers(), [&](mlir::Operation* user) {
        auto concat = llvm::dyn_cast<ir::ConcatOp>(user);
        return concat && llvm::equal(concat.getInputs(), parts) && concat.axis() == axis;
    });
}

}  // namespace

mlir::Value side_by_side(mlir::OpBuilder& builder, mlir::Location location,
                         llvm::ArrayRef<mlir::Value> parts, int axis) {
    int64_t size = joined_size(parts, axis);
    if (SliceSource source = source_of_slices(parts, axis); source.value) {
        auto first = parts[0].getDefiningOp<ir::SliceOp>();
        return slice(builder, location, first.getFunctionAttr(), source.value, axis, source.begin,
                     size);
    }
    const OpDef& concat = concat_op();
    mlir::MLIRContext* context = builder.getContext();
    return ir::ConcatOp::create(builder, location,
                                resized(ir::tensor_type_of(parts[0]), axis, size),
                                builder.getStringAttr(concat.name), parts, mlir::ValueRange(),
                                ir::to_dictionary({{"axis", int64_t(axis)}}, context))
        ->getResult(0);
}

SliceSource source_of_slices(llvm::ArrayRef<mlir::Value> parts, int axis) {
    SliceSource source;
    int64_t end = 0;
    for (mlir::Value part : parts) {
        auto slice = part.getDefiningOp<ir::SliceOp>();
        if (!slice) return {};
        mlir::RankedTensorType whole = ir::tensor_type_of(slice.getInput());
        if (!source.value) {
            source = {slice.getInput(), slice.getBegin()[axis]};
            end = source.begin;
        }
        if (slice.getInput() != source.value || slice.getBegin()[axis] != end) return {};
        for (int i = 0; i < whole.getRank(); ++i)
            if (slice.getStep()[i] != 1 ||
                (i != axis && ir::tensor_type_of(part).getDimSize(i) != whole.getDimSize(i)))
                return {};
        end += ir::tensor_type_of(part).getDimSize(axis);
    }
    return source;
}

llvm::SmallVector<Joining, 2> CallJoint::joinings_of(mlir::Operation* op) {
    if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op)) {
        if (reduce.getCombine() != ir::Combine::sum || reduce.getAxes().empty()) return {};
        return {Joining{.inputs = {int(reduce.getAxes()[0])}, .output = Joining::sum}};
    }
    auto call = llvm::dyn_cast<ir::LibraryCall>(op);
    if (!call || op->getNumResults() != 1 || !call.getScalars().empty()) return {};
    const OpDef* definition = find_op(std::string_view(call.getFunction()));
    if (!definition) return {};
    llvm::SmallVector<Type> types;
    for (mlir::Value input : call.getInputs()) types.push_back(ir::type_of(input));
    auto attributes = ir::to_attributes(call.getCallAttributes());
    if (mlir::failed(attributes)) return {};
    Joinings joinings =
        catena::joinings_of({*definition, {types.data(), types.size()}, *attributes});
    return llvm::SmallVector<Joining, 2>(joinings.begin(), joinings.end());
}

std::vector<const void*> CallJoint::key_of(mlir::Operation* op, const Joining& joining) {
    std::vector<const void*> key = {op->getName().getAsOpaquePointer(),
                                    op->getPropertiesAsAttribute().getAsOpaquePointer()};
    for (size_t i = 0; i < joining.inputs.size(); ++i) {
        mlir::Value operand = op->getOperand(i);
        int axis = joining.inputs[i];
        key.push_back(axis == Joining::shared
                          ? operand.getAsOpaquePointer()
                          : resized(ir::tensor_type_of(operand), axis, 0).getAsOpaquePointer());
    }
    return key;
}

llvm::SmallVector<mlir::Value> CallJoint::operands(int input) const {
    llvm::SmallVector<mlir::Value> values;
    for (mlir::Operation* call : calls) values.push_back(call->getOperand(input));
    return values;
}

int64_t CallJoint::bytes_to_copy() const {
    int64_t bytes = 0;
    for (size_t i = 0; i < joining.inputs.size(); ++i) {
        if (joining.inputs[i] == Joining::shared) continue;
        llvm::SmallVector<mlir::Value> parts = operands(i);
        if (source_of_slices(parts, joining.inputs[i]).value ||
            are_joined(parts, joining.inputs[i]))
            continue;
        for (mlir::Value part : parts) bytes += bytes_of(part);
    }
    return bytes;
}

int64_t CallJoint::bytes_saved() const {
    int64_t each = joining.output == Joining::sum ? bytes_of(calls[0]->getResult(0)) : 0;
    for (size_t i = 0; i < joining.inputs.size(); ++i)
        if (joining.inputs[i] == Joining::shared) each += bytes_of(calls[0]->getOperand(i));
    return each * int64_t(calls.size() - 1);
}

void CallJoint::choose_order() {
    int64_t forwards = bytes_to_copy();
    std::reverse(calls.begin(), calls.end());
    if (forwards <= bytes_to_copy()) std::reverse(calls.begin(), calls.end());
}

mlir::Operation* CallJoint::build(mlir::OpBuilder& builder) const {
    llvm::SmallVector<mlir::Location> locations;
    for (mlir::Operation* call : calls) locations.push_back(call->getLoc());
    mlir::Location location = builder.getFusedLoc(locations);
    llvm::SmallVector<mlir::Value> inputs;
    for (size_t i = 0; i < joining.inputs.size(); ++i)
        inputs.push_back(joining.inputs[i] == Joining::shared
                             ? calls[0]->getOperand(i)
                             : side_by_side(builder, location, operands(i), joining.inputs[i]));
    mlir::Operation* call = builder.clone(*calls[0]);
    call->setLoc(location);
    call->setOperands(inputs);
    if (joining.output != Joining::sum) {
        int64_t size = 0;
        for (mlir::Operation* each : calls)
            size += ir::tensor_type_of(each->getResult(0)).getDimSize(joining.output);
        call->getResult(0).setType(
            resized(ir::tensor_type_of(call->getResult(0)), joining.output, size));
    }
    return call;
}

}  // namespace catena::passes
