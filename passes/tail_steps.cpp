#include "passes/tail_steps.h"

#include <limits>

#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include "ir/types.h"

namespace catena::passes {
namespace {

namespace arith = mlir::arith;

/// What a value in a map's body is computed from, in order, and the map's arguments that this
/// reads.
struct Slice {
    llvm::SetVector<mlir::Operation*> operations;
    llvm::SetVector<mlir::Value> arguments;

    explicit Slice(mlir::Value value) { add(value); }

    void add(mlir::Value value) {
        mlir::Operation* op = value.getDefiningOp();
        if (!op) {
            arguments.insert(value);
        } else if (!operations.contains(op)) {
            for (mlir::Value operand : op->getOperands()) add(operand);
            operations.insert(op);
        }
    }
};

/// The tensor that is the map's argument; null for a scalar.
mlir::Value tensor_of(ir::MapOp map, mlir::Value argument) {
    const unsigned number = llvm::cast<mlir::BlockArgument>(argument).getArgNumber();
    return number < map.getInputs().size() ? map.getInputs()[number] : mlir::Value();
}

/// Whether a tensor has an element for each channel of `y` and broadcasts to it, or has one
/// element.
bool varies_along_channels(mlir::Value tensor, mlir::Value y) {
    const Shape shape = ir::shape_of(tensor), whole = ir::shape_of(y);
    const int missing = whole.rank() - shape.rank();
    for (int d = 0; d < shape.rank(); ++d)
        if (shape[d] != 1 && (d + missing != 1 || shape[d] != whole[1])) return false;
    return true;
}

bool reads_only(const SideValue& side, llvm::function_ref<bool(mlir::Value)> fits) {
    const Slice slice(side.value);
    return llvm::all_of(slice.arguments, [&](mlir::Value argument) {
        const mlir::Value tensor = tensor_of(side.map, argument);
        return !tensor || fits(tensor);
    });
}

/// A tensor of `shape` that holds `side`: one that is there, or the result of a map.
mlir::Value tensor_of(mlir::OpBuilder& b, const SideValue& side, const Shape& shape) {
    const Slice slice(side.value);
    ir::MapOp map = side.map;
    if (slice.operations.empty() && !side.is_negated) {
        const mlir::Value tensor = tensor_of(map, side.value);
        if (tensor && element_count(ir::shape_of(tensor)) == element_count(shape)) return tensor;
    }
    llvm::SmallVector<mlir::Value> inputs, scalars, arguments;
    for (const bool wants_tensors : {true, false})
        for (mlir::Value argument : slice.arguments) {
            const mlir::Value tensor = tensor_of(map, argument);
            if (bool(tensor) != wants_tensors) continue;
            arguments.push_back(argument);
            if (tensor)
                inputs.push_back(tensor);
            else
                scalars.push_back(
                    map.getScalars()[llvm::cast<mlir::BlockArgument>(argument).getArgNumber() -
                                     map.getInputs().size()]);
        }
    const mlir::Type element = map.compute_type();
    const mlir::Type type =
        mlir::RankedTensorType::get(llvm::ArrayRef<int64_t>(shape.begin(), shape.end()), element);
    auto made = ir::MapOp::create(b, map.getLoc(), mlir::TypeRange(type), map.getFunction(), inputs,
                                  scalars);
    const mlir::OpBuilder::InsertionGuard guard(b);
    mlir::Block* body = b.createBlock(&made.getBody());
    mlir::IRMapping mapping;
    for (mlir::Value argument : arguments)
        mapping.map(argument, body->addArgument(element, map.getLoc()));
    for (mlir::Operation* op : slice.operations) b.clone(*op, mapping);
    mlir::Value value = mapping.lookup(side.value);
    if (side.is_negated) value = arith::NegFOp::create(b, map.getLoc(), value);
    ir::YieldOp::create(b, map.getLoc(), mlir::ValueRange(value));
    return made.getResult(0);
}

}  // namespace

std::optional<double> SideValue::constant() const {
    llvm::APFloat number(0.0);
    if (!mlir::matchPattern(value, mlir::m_ConstantFloat(&number))) return std::nullopt;
    return is_negated ? -number.convertToDouble() : number.convertToDouble();
}

TailSteps::TailSteps(mlir::Value y) : y_(y) {
    for (mlir::Value value = y; value.hasOneUse();) {
        auto map = llvm::dyn_cast<ir::MapOp>(*value.user_begin());
        if (!map || map.getNumResults() != 1 || map.getResult(0).getType() != y.getType() ||
            !take(map, value))
            return;
        maps_.push_back(map);
        value = map.getResult(0);
    }
}

/// Takes all of a map or nothing: its arithmetic must be a chain of steps.
bool TailSteps::take(ir::MapOp map, mlir::Value through) {
    const auto input = llvm::find(map.getInputs(), through) - map.getInputs().begin();
    mlir::Value value = map.getBody().front().getArgument(unsigned(input));
    Operands operands = operands_;
    while (value.hasOneUse() && !llvm::isa<ir::YieldOp>(*value.user_begin())) {
        mlir::Operation& step = **value.user_begin();
        if (step.getNumResults() != 1 || !step.getResult(0).getType().isF32() ||
            !take_step(operands, step, value, map))
            return false;
        value = step.getResult(0);
    }
    if (!value.hasOneUse() || map.yield().getOperand(0) != value) return false;
    operands_ = operands;
    return true;
}

bool TailSteps::take_step(Operands& o, mlir::Operation& step, mlir::Value through,
                          ir::MapOp map) const {
    if (step.getNumOperands() != 2) return false;
    const bool is_left = step.getOperand(0) == through;
    SideValue side{map, step.getOperand(is_left ? 1 : 0)};
    if (llvm::isa<arith::AddFOp>(step)) return take_sum(o, side);
    if (llvm::isa<arith::SubFOp>(step)) {
        side.is_negated = true;
        return is_left && is_for_channels(side) && take_sum(o, side);
    }
    const bool is_clipped = o.lowest || o.highest;
    if (llvm::isa<arith::MulFOp>(step)) {
        if (o.scale || o.shift || o.other || is_clipped || !is_for_channels(side)) return false;
        o.scale = side;
        return true;
    }
    if (!is_one_number(side)) return false;
    if (llvm::isa<arith::MaximumFOp>(step) && !is_clipped) {
        o.lowest = side;
        return true;
    }
    if (llvm::isa<arith::MinimumFOp>(step) && !o.highest) {
        o.highest = side;
        return true;
    }
    return false;
}

bool TailSteps::take_sum(Operands& o, const SideValue& side) const {
    if (o.other || o.lowest || o.highest) return false;
    if (is_for_channels(side)) {
        std::optional<SideValue>& place = o.before || o.scale ? o.shift : o.before;
        if (place) return false;
        place = side;
        return true;
    }
    const mlir::Value tensor =
        side.value.getDefiningOp() ? mlir::Value() : tensor_of(side.map, side.value);
    if (!tensor || tensor.getType() != y_.getType()) return false;
    o.other = tensor;
    return true;
}

bool TailSteps::is_one_number(const SideValue& side) const {
    return reads_only(side,
                      [](mlir::Value tensor) { return element_count(ir::shape_of(tensor)) == 1; });
}

bool TailSteps::is_for_channels(const SideValue& side) const {
    return reads_only(side, [&](mlir::Value tensor) { return varies_along_channels(tensor, y_); });
}

void TailSteps::replace_by(const OpDef& tailed, mlir::Operation* call, const Attributes& attributes,
                           mlir::Value range) {
    mlir::OpBuilder b(maps_.back());
    llvm::SmallVector<mlir::Location> locations{call->getLoc()};
    for (ir::MapOp map : maps_) locations.push_back(map.getLoc());
    llvm::SmallVector<mlir::Value> inputs(call->getOperands());
    uint32_t given = 0;
    const auto give = [&](TailOperand operand, mlir::Value value) {
        if (!value) return;
        given |= 1u << unsigned(operand);
        inputs.push_back(value);
    };
    Shape channels = Shape::filled(ir::shape_of(y_).rank(), 1);
    channels[1] = ir::shape_of(y_)[1];
    const auto tensor = [&](const std::optional<SideValue>& side, const Shape& shape) {
        return side ? tensor_of(b, *side, shape) : mlir::Value();
    };
    const auto bound = [&](const std::optional<SideValue>& side) {
        return side && !side->constant() ? tensor_of(b, *side, {1}) : mlir::Value();
    };
    const auto number = [](const std::optional<SideValue>& side, double otherwise) {
        return side ? side->constant().value_or(otherwise) : otherwise;
    };
    give(TailOperand::range, range);
    give(TailOperand::before, tensor(operands_.before, channels));
    give(TailOperand::scale, tensor(operands_.scale, channels));
    give(TailOperand::shift, tensor(operands_.shift, channels));
    give(TailOperand::other, operands_.other);
    give(TailOperand::lowest, bound(operands_.lowest));
    give(TailOperand::highest, bound(operands_.highest));
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Attributes all = with_tail(attributes, given, number(operands_.lowest, -infinity),
                                     number(operands_.highest, infinity));
    const llvm::SmallVector<mlir::Type> types{y_.getType(),
                                              mlir::RankedTensorType::get({1}, b.getF32Type())};
    auto made =
        ir::WindowOp::create(b, b.getFusedLoc(locations), types, b.getStringAttr(tailed.name),
                             inputs, mlir::ValueRange(), ir::to_dictionary(all, b.getContext()));
    maps_.back().getResult(0).replaceAllUsesWith(made->getResult(0));
    for (ir::MapOp map : llvm::reverse(maps_)) map.erase();
    call->erase();
}

}  // namespace catena::passes
