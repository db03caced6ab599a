#include "codegen/cpu/vector_math.h"

#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

#include "codegen/kernel/math_steps.h"

namespace catena::codegen::cpu {

using mlir::Value;

namespace {

namespace arith = mlir::arith;

/// The machine of runtime/scalar/math.h: its values are MLIR values, scalars or vectors of float32.
/// `avx512`: vectors are whole registers of that instruction set, which scales by a power of two in
/// one step.
template <bool avx512>
class EmittingOps {
public:
    using F = Value;
    using I = Value;
    using B = Value;

    EmittingOps(Lanes& lanes, Value like)
        : l(lanes),
          f32_(lanes.shaped_like(like, lanes.b.getF32Type())),
          i32_(lanes.shaped_like(like, lanes.b.getI32Type())) {}

    F constant(float value) const { return l.constant(f32_, value); }
    I integer(int32_t value) const { return l.integer(i32_, value); }
    F add(F x, F y) const { return arith::AddFOp::create(l.b, l.loc, x, y); }
    F sub(F x, F y) const { return arith::SubFOp::create(l.b, l.loc, x, y); }
    F mul(F x, F y) const { return arith::MulFOp::create(l.b, l.loc, x, y); }
    F div(F x, F y) const { return arith::DivFOp::create(l.b, l.loc, x, y); }
    F fma(F a, F b, F c) const { return mlir::math::FmaOp::create(l.b, l.loc, a, b, c); }
    F scale(F x, F n) const
        requires avx512
    {
        Value every_lane = arith::ConstantIntOp::create(l.b, l.loc, -1, 16);
        Value rounding =
            arith::ConstantIntOp::create(l.b, l.loc, 4, 32);  // As the mode says: to nearest.
        return mlir::LLVM::CallIntrinsicOp::create(
                   l.b, l.loc, f32_, l.b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
                   mlir::ValueRange{x, n, x, every_lane, rounding})
            .getResult(0);
    }
    I bits(F x) const { return arith::BitcastOp::create(l.b, l.loc, i32_, x); }
    F from_bits(I x) const { return arith::BitcastOp::create(l.b, l.loc, f32_, x); }
    F to_float(I x) const { return arith::SIToFPOp::create(l.b, l.loc, f32_, x); }
    I iadd(I x, I y) const { return l.add(x, y); }
    I isub(I x, I y) const { return l.sub(x, y); }
    I iand(I x, I y) const { return arith::AndIOp::create(l.b, l.loc, x, y); }
    I ior(I x, I y) const { return arith::OrIOp::create(l.b, l.loc, x, y); }
    I ixor(I x, I y) const { return arith::XOrIOp::create(l.b, l.loc, x, y); }
    I shift_left(I x, int n) const { return arith::ShLIOp::create(l.b, l.loc, x, integer(n)); }
    I shift_right(I x, int n) const { return arith::ShRSIOp::create(l.b, l.loc, x, integer(n)); }
    B less(F x, F y) const { return l.compare(arith::CmpFPredicate::OLT, x, y); }
    B equal(I x, I y) const { return l.compare(arith::CmpIPredicate::eq, x, y); }
    F select(B c, F x, F y) const { return l.select(c, x, y); }

    /// Lanes with large arguments, which are rare, call the C library one by one.
    F libm_where(B where, F value, F x, math::LibmFunction function) const {
        const Instruction instruction =
            function == math::LibmFunction::sin ? Instruction::sin : Instruction::cos;
        Value any = where;
        if (mlir::isa<mlir::VectorType>(where.getType()))
            any = mlir::vector::ReductionOp::create(l.b, l.loc, mlir::vector::CombiningKind::OR,
                                                    where);
        auto branch = mlir::scf::IfOp::create(l.b, l.loc, f32_, any, /*withElseRegion=*/true);
        mlir::OpBuilder::InsertionGuard guard(l.b);
        l.b.setInsertionPointToStart(branch.thenBlock());
        mlir::scf::YieldOp::create(l.b, l.loc,
                                   select(where, *call_math_library(l, instruction, x), value));
        l.b.setInsertionPointToStart(branch.elseBlock());
        mlir::scf::YieldOp::create(l.b, l.loc, value);
        return branch.getResult(0);
    }

private:
    Lanes& l;
    mlir::Type f32_, i32_;
};

}  // namespace

std::optional<Value> expand_math(Lanes& lanes, Instruction instruction,
                                 llvm::ArrayRef<Value> arguments) {
    if (!facts_of(instruction).has_steps || !mlir::getElementTypeOrSelf(arguments[0]).isF32())
        return std::nullopt;
    const Value x = arguments[0];
    const bool whole_register = mlir::isa<mlir::VectorType>(x.getType()) && lanes.width() == 16;
    return whole_register ? take_steps(EmittingOps<true>(lanes, x), instruction, x)
                          : take_steps(EmittingOps<false>(lanes, x), instruction, x);
}

namespace {

mlir::ModuleOp module_of(Lanes& lanes) {
    mlir::Operation* scope = lanes.b.getInsertionBlock()->getParentOp();
    while (!mlir::isa<mlir::ModuleOp>(scope)) scope = scope->getParentOp();
    return mlir::cast<mlir::ModuleOp>(scope);
}

mlir::func::FuncOp declare(Lanes& lanes, const std::string& name, mlir::FunctionType type) {
    auto module = module_of(lanes);
    if (auto known = module.lookupSymbol<mlir::func::FuncOp>(name)) return known;
    mlir::OpBuilder::InsertionGuard guard(lanes.b);
    lanes.b.setInsertionPointToStart(module.getBody());
    auto function = mlir::func::FuncOp::create(lanes.b, lanes.loc, name, type);
    function.setPrivate();
    return function;
}

Value call(Lanes& lanes, mlir::func::FuncOp callee, mlir::ValueRange arguments) {
    return mlir::func::CallOp::create(lanes.b, lanes.loc, callee, arguments).getResult(0);
}

/// A function of the module that calls `callee` for each lane. (In a kernel that takes many sines
/// the calls for all their lanes would be most of the code, and take seconds to compile.)
mlir::func::FuncOp function_of_lanes(Lanes& lanes, mlir::func::FuncOp callee,
                                     mlir::VectorType vector) {
    const unsigned count = callee.getNumArguments();
    const std::string name = callee.getName().str() + "_x" + std::to_string(lanes.width());
    const llvm::SmallVector<mlir::Type> types(count, vector);
    const bool is_known = bool(module_of(lanes).lookupSymbol<mlir::func::FuncOp>(name));
    mlir::func::FuncOp function = declare(lanes, name, lanes.b.getFunctionType(types, vector));
    if (is_known) return function;
    function->setAttr("llvm.linkage", mlir::LLVM::LinkageAttr::get(lanes.b.getContext(),
                                                                   mlir::LLVM::Linkage::Internal));
    mlir::OpBuilder::InsertionGuard guard(lanes.b);
    mlir::Block* body = function.addEntryBlock();
    lanes.b.setInsertionPointToStart(body);
    Value result = lanes.constant(vector, 0);
    for (int lane = 0; lane < lanes.width(); ++lane) {
        llvm::SmallVector<Value> scalars;
        for (Value argument : body->getArguments())
            scalars.push_back(lanes.extract(argument, lane));
        result = lanes.insert(call(lanes, callee, scalars), result, lane);
    }
    mlir::func::ReturnOp::create(lanes.b, lanes.loc, result);
    return function;
}

}  // namespace

std::optional<Value> call_math_library(Lanes& lanes, Instruction instruction,
                                       llvm::ArrayRef<Value> arguments) {
    if (!facts_of(instruction).library) return std::nullopt;
    std::string name = facts_of(instruction).library;
    mlir::Type element = mlir::getElementTypeOrSelf(arguments[0]);
    if (element.isF32()) name += "f";
    const llvm::SmallVector<mlir::Type> types(arguments.size(), element);
    mlir::func::FuncOp callee = declare(lanes, name, lanes.b.getFunctionType(types, element));
    const auto is_vector = [](Value argument) {
        return mlir::isa<mlir::VectorType>(argument.getType());
    };
    if (llvm::none_of(arguments, is_vector)) return call(lanes, callee, arguments);
    llvm::SmallVector<Value> vectors;
    for (Value argument : arguments)
        vectors.push_back(is_vector(argument) ? argument : lanes.splat(argument));
    return call(lanes, function_of_lanes(lanes, callee, lanes.vector_of(element)), vectors);
}

}  // namespace catena::codegen::cpu
