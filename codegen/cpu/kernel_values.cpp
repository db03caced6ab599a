#include "codegen/cpu/kernel_values.h"

#include "mlir/IR/BuiltinTypes.h"

#include "codegen/cpu/vector_math.h"
#include "runtime/core/system/error.h"

namespace catena::codegen::cpu {

using Kind = KernelValue::Kind;
using mlir::Value;
namespace arith = mlir::arith;

KernelValues::KernelValues(Lanes& lanes, const Kernel& kernel, const KernelOptions& options,
                           const LoopNest& nest, const RowScratch& scratch, KernelMemory& memory)
    : lanes_(lanes),
      kernel_(kernel),
      options_(options),
      nest_(nest),
      scratch_(scratch),
      memory_(memory),
      emitted_(kernel.values.size()),
      known_(kernel.values.size(), false) {}

KernelValues::Scope::~Scope() {
    values_.emitted_ = std::move(emitted_);
    values_.memory_.offsets() = std::move(offsets_);
}

void KernelValues::begin_stage(int stage) {
    stage_ = stage;
    known_ = scratch_.known_at(stage);
}

void KernelValues::emit(int level, int stage, const std::vector<bool>* needed) {
    for (int v = 0; v < int(kernel_.values.size()); ++v) {
        const bool is_here = nest_.level(v) == level && nest_.dependence().stage(v) <= stage;
        if (emitted_[size_t(v)] || !is_here || kernel_.values[size_t(v)].kind == Kind::reduction)
            continue;
        if (needed && !(*needed)[size_t(v)]) continue;
        if (!nest_.dependence().varying(v)) {
            set_uniform(v, emit_value(v, -1));
            continue;
        }
        for (int c = 0; c < copies_; ++c)
            emitted_[size_t(v)].copies.push_back(known_[size_t(v)] ? memory_.load_from_row(v, c)
                                                                   : emit_value(v, c));
        if (scratch_.slot[size_t(v)] >= 0 && scratch_.from[size_t(v)] == stage_)
            for (int c = 0; c < copies_; ++c) memory_.store_to_row(v, in_lanes(v, c), c);
    }
}

void KernelValues::set_uniform(int v, Value scalar) {
    emitted_[size_t(v)].uniform = scalar;
    // Broadcast once here, outside the loops over lanes.
    if (nest_.used_by_lanes(v) && lanes_.width() > 1)
        emitted_[size_t(v)].copies.push_back(lanes_.splat(scalar));
}

Value KernelValues::in_lanes(int v, int c) const {
    const EmittedValue& e = emitted_[size_t(v)];
    CATENA_ASSERT(bool(e), "a kernel reads a value before it is there");
    if (!e.uniform) return e.copies[size_t(c)];
    return e.copies.empty() ? e.uniform : e.copies[0];
}

/// Copy c, or the scalar all lanes share when c < 0.
Value KernelValues::emit_value(int v, int c) {
    const KernelValue& value = kernel_.values[size_t(v)];
    Values args;
    for (int arg : value.args)
        args.push_back(c < 0 ? emitted_[size_t(arg)].uniform : in_lanes(arg, c));
    switch (value.kind) {
        case Kind::load:
            return memory_.load(value.operand, value.type, c);
        case Kind::scalar:
            return lanes_.convert(memory_.scalar(value.operand), Register::f64, value.type);
        case Kind::constant: {
            mlir::Type type = lanes_.scalar_type(value.type);
            bool whole = value.type == Register::i64 || value.type == Register::truth;
            return whole ? lanes_.integer(type, value.integer)
                         : lanes_.constant(type, value.number);
        }
        case Kind::convert:
            return lanes_.convert(args[0], kernel_.values[size_t(value.args[0])].type, value.type);
        case Kind::round:
            return lanes_.from_storage(lanes_.to_storage(args[0], value.type, value.dtype),
                                       value.dtype, value.type);
        default:
            return instruction(value, args);
    }
}

Value KernelValues::instruction(const KernelValue& value, const Values& args) {
    switch (value.instruction) {
        case Instruction::maximumf:
            return lanes_.float_extreme(args[0], args[1], true);
        case Instruction::minimumf:
            return lanes_.float_extreme(args[0], args[1], false);
        case Instruction::divsi:
            return lanes_.safe_divide(args[0], args[1], false);
        case Instruction::remsi:
            return lanes_.safe_divide(args[0], args[1], true);
        default:
            break;
    }
    if (auto expanded = expand_math(lanes_, value.instruction, args)) return *expanded;
    if (auto called = call_math_library(lanes_, value.instruction, args)) return *called;
    return operation(value, args);
}

/// The value as an operation of MLIR's own dialects.
Value KernelValues::operation(const KernelValue& value, const Values& args) {
    mlir::OpBuilder& b = lanes_.b;
    mlir::Type type = lanes_.scalar_type(value.type);
    for (Value arg : args)
        if (mlir::isa<mlir::VectorType>(arg.getType()))
            type = lanes_.vector_of(lanes_.scalar_type(value.type));
    mlir::OperationState state(lanes_.loc, facts_of(value.instruction).operation);
    state.addOperands(args);
    state.addTypes(type);
    if (is_comparison(value.instruction))
        state.addAttribute("predicate", b.getI64IntegerAttr(value.predicate));
    mlir::Operation* op = b.create(state);
    auto fast = mlir::dyn_cast<arith::ArithFastMathInterface>(op);
    if (options_.fast_math && fast)
        op->setAttr(
            fast.getFastMathAttrName(),
            arith::FastMathFlagsAttr::get(
                b.getContext(), arith::FastMathFlags::contract | arith::FastMathFlags::reassoc |
                                    arith::FastMathFlags::arcp | arith::FastMathFlags::nsz));
    return op->getResult(0);
}

void KernelValues::store_outputs() {
    for (int o = 0; o < int(kernel_.outputs.size()); ++o)
        if (!nest_.dependence().is_full_output(o)) store_output(o);
}

void KernelValues::store_output(int output) {
    const int v = kernel_.stores[size_t(output)].value;
    const Register from = kernel_.values[size_t(v)].type;
    if (kernel_.outputs[size_t(output)].strides[kernel_.inner()] != 0) {
        for (int c = 0; c < copies_; ++c) memory_.store(output, in_lanes(v, c), from, c);
        return;
    }
    Value scalar = emitted_[size_t(v)].uniform;
    if (!scalar) {  // All lanes are equal.
        scalar = emitted_[size_t(v)].copies[0];
        if (lanes_.width() > 1) scalar = lanes_.extract(scalar, 0);
    }
    memory_.store_scalar(output, scalar, from);
}

int KernelValues::unroll_of(const std::vector<bool>& needed) const {
    int work = 0;
    bool has_function = false;
    for (int v = 0; v < int(needed.size()); ++v) {
        if (!needed[size_t(v)] || !nest_.dependence().varying(v)) continue;
        const KernelValue& value = kernel_.values[size_t(v)];
        const bool heavy = value.kind == Kind::instruction && facts_of(value.instruction).heavy &&
                           !known_[size_t(v)];
        has_function |= heavy && facts_of(value.instruction).has_steps;
        work += heavy ? 12 : value.kind == Kind::constant ? 0 : 1;
    }
    if (work <= 14) return 4;
    // The steps of a function wait for each other: several vectors' keep the processor busy, until
    // they fill its window.
    const bool is_pointwise = nest_.reduced_dims.empty() && nest_.dependence().last_stage() == 0;
    if (is_pointwise && has_function && work <= 100) return 4;
    return work <= 40 ? 2 : 1;
}

}  // namespace catena::codegen::cpu
