#include "codegen/cpu/lanes.h"

#include <limits>

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace catena::codegen::cpu {

using namespace mlir::arith;
using mlir::Type;
using mlir::Value;
using mlir::VectorType;

bool is_float_value(Value v) { return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(v)); }

Type Lanes::scalar_type(Register r) const {
    switch (r) {
        case Register::truth:
            return b.getI1Type();
        case Register::i64:
            return b.getI64Type();
        case Register::f32:
            return b.getF32Type();
        default:
            return b.getF64Type();
    }
}

Type Lanes::storage_type(Dtype dtype) const {
    switch (dtype) {
        case Dtype::float16:
            return b.getF16Type();
        case Dtype::float32:
            return b.getF32Type();
        case Dtype::float64:
            return b.getF64Type();
        default:
            return b.getIntegerType(unsigned(size_of(dtype) * 8));  // bfloat16 is moved as bits
    }
}

Type Lanes::shaped_like(Value like, Type scalar) const {
    if (auto vector = mlir::dyn_cast<VectorType>(like.getType())) return vector.clone(scalar);
    return scalar;
}

Value Lanes::index(int64_t value) { return integer(b.getI64Type(), value); }

Value Lanes::integer(Type type, int64_t value) {
    auto scalar = b.getIntegerAttr(mlir::getElementTypeOrSelf(type), value);
    if (auto vector = mlir::dyn_cast<VectorType>(type))
        return ConstantOp::create(b, loc,
                                  mlir::DenseElementsAttr::get(vector, mlir::Attribute(scalar)));
    return ConstantOp::create(b, loc, scalar);
}

Value Lanes::constant(Type type, double value) {
    Type element = mlir::getElementTypeOrSelf(type);
    if (!mlir::isa<mlir::FloatType>(element)) return integer(type, int64_t(value));
    auto scalar = b.getFloatAttr(element, value);
    if (auto vector = mlir::dyn_cast<VectorType>(type))
        return ConstantOp::create(b, loc,
                                  mlir::DenseElementsAttr::get(vector, mlir::Attribute(scalar)));
    return ConstantOp::create(b, loc, scalar);
}

Value Lanes::splat(Value scalar) {
    return mlir::vector::BroadcastOp::create(b, loc, vector_of(scalar.getType()), scalar);
}

Value Lanes::extract(Value vector, int lane) {
    return mlir::vector::ExtractOp::create(b, loc, vector, int64_t(lane));
}

Value Lanes::insert(Value scalar, Value vector, int lane) {
    return mlir::vector::InsertOp::create(b, loc, scalar, vector, int64_t(lane));
}

Value Lanes::from_storage(Value stored, Dtype dtype, Register to) {
    Type f32 = shaped_like(stored, b.getF32Type()), i64 = shaped_like(stored, b.getI64Type());
    if (dtype == Dtype::bool_) {
        Value truth = compare(CmpIPredicate::ne, stored, integer(stored.getType(), 0));
        return convert(truth, Register::truth, to);
    }
    if (is_integer(dtype)) {
        Type wanted = shaped_like(stored, scalar_type(to));
        bool is_signed = dtype != Dtype::uint8;
        // Straight to float: widening to 64 bits first would cost twice the registers.
        if (to == Register::f32 || to == Register::f64) {
            if (is_signed) return SIToFPOp::create(b, loc, wanted, stored);
            return UIToFPOp::create(b, loc, wanted, stored);
        }
        Value wide = stored;
        if (dtype != Dtype::int64)
            wide = is_signed ? Value(ExtSIOp::create(b, loc, i64, stored))
                             : Value(ExtUIOp::create(b, loc, i64, stored));
        return convert(wide, Register::i64, to);
    }
    if (dtype == Dtype::float64) return convert(stored, Register::f64, to);
    Value value = stored;
    if (dtype == Dtype::float16) value = ExtFOp::create(b, loc, f32, stored);
    if (dtype == Dtype::bfloat16) {
        Type i32 = shaped_like(stored, b.getI32Type());
        Value bits = ExtUIOp::create(b, loc, i32, stored);
        bits = ShLIOp::create(b, loc, bits, integer(i32, 16));
        value = BitcastOp::create(b, loc, f32, bits);
    }
    return convert(value, Register::f32, to);
}

namespace {

/// The upper 16 bits of a float, rounded to nearest even; NaN stays NaN.
Value bfloat16_bits(Lanes& l, Value x) {
    Type i32 = l.shaped_like(x, l.b.getI32Type()), i16 = l.shaped_like(x, l.b.getI16Type());
    Value bits = BitcastOp::create(l.b, l.loc, i32, x);
    Value sixteen = l.integer(i32, 16);
    Value odd =
        AndIOp::create(l.b, l.loc, ShRUIOp::create(l.b, l.loc, bits, sixteen), l.integer(i32, 1));
    Value rounded = l.add(bits, l.add(odd, l.integer(i32, 0x7fff)));
    Value quiet = OrIOp::create(l.b, l.loc, bits, l.integer(i32, 0x400000));
    Value chosen = l.select(l.compare(CmpFPredicate::UNO, x, x), quiet, rounded);
    return TruncIOp::create(l.b, l.loc, i16, ShRUIOp::create(l.b, l.loc, chosen, sixteen));
}

}  // namespace

Value Lanes::to_storage(Value value, Register from, Dtype dtype) {
    Type wanted = shaped_like(value, storage_type(dtype));
    if (dtype == Dtype::bool_) {
        Value truth = convert(value, from, Register::truth);
        return ExtUIOp::create(b, loc, wanted, truth);
    }
    if (is_integer(dtype)) {
        Value wide = convert(value, from, Register::i64);
        if (dtype == Dtype::int64) return wide;
        return TruncIOp::create(b, loc, wanted, wide);
    }
    if (dtype == Dtype::float64) return convert(value, from, Register::f64);
    Value x = convert(value, from, Register::f32);
    if (dtype == Dtype::float16) return TruncFOp::create(b, loc, wanted, x);
    if (dtype == Dtype::bfloat16) return bfloat16_bits(*this, x);
    return x;
}

Value Lanes::convert(Value value, Register from, Register to) {
    if (from == to) return value;
    Type wanted = shaped_like(value, scalar_type(to));
    if (to == Register::truth) {
        if (from == Register::i64)
            return compare(CmpIPredicate::ne, value, integer(value.getType(), 0));
        return compare(CmpFPredicate::UNE, value, constant(value.getType(), 0));
    }
    if (from == Register::truth) {
        if (to == Register::i64) return ExtUIOp::create(b, loc, wanted, value);
        return UIToFPOp::create(b, loc, wanted, value);
    }
    if (to == Register::i64) return FPToSIOp::create(b, loc, wanted, value);
    if (from == Register::i64) return SIToFPOp::create(b, loc, wanted, value);
    if (to == Register::f64) return ExtFOp::create(b, loc, wanted, value);
    return TruncFOp::create(b, loc, wanted, value);
}

Value Lanes::float_extreme(Value x, Value y, bool maximum) {
    // select(x > y, x, y) is one x86 instruction and gives y when either is NaN; a NaN in x is
    // restored.
    auto order = maximum ? CmpFPredicate::OGT : CmpFPredicate::OLT;
    Value chosen = select(compare(order, x, y), x, y);
    return select(compare(CmpFPredicate::UNO, x, x), x, chosen);
}

Value Lanes::safe_divide(Value x, Value y, bool remainder) {
    Type type = x.getType();
    Value zero = integer(type, 0), one = integer(type, 1), minus = integer(type, -1);
    Value by_zero = compare(CmpIPredicate::eq, y, zero);
    Value by_minus = compare(CmpIPredicate::eq, y, minus);
    Value divisor = select(OrIOp::create(b, loc, by_zero, by_minus), one, y);
    Value quotient = remainder ? Value(RemSIOp::create(b, loc, x, divisor))
                               : Value(DivSIOp::create(b, loc, x, divisor));
    Value negated = remainder ? zero : sub(zero, x);
    return select(by_zero, zero, select(by_minus, negated, quotient));
}

Value Lanes::neutral(Combine combine, Type type) {
    bool is_float = mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
    constexpr double inf = std::numeric_limits<double>::infinity();
    switch (combine) {
        case Combine::sum:
            return constant(type, 0);
        case Combine::product:
            return constant(type, 1);
        case Combine::maximum:
            return is_float ? constant(type, -inf)
                            : integer(type, std::numeric_limits<int64_t>::min());
        default:
            return is_float ? constant(type, inf)
                            : integer(type, std::numeric_limits<int64_t>::max());
    }
}

Value Lanes::combine(Combine combine, Value x, Value y) {
    if (is_float_value(x)) {
        switch (combine) {
            case Combine::sum:
                return AddFOp::create(b, loc, x, y);
            case Combine::product:
                return MulFOp::create(b, loc, x, y);
            default:
                return float_extreme(x, y, combine == Combine::maximum);
        }
    }
    switch (combine) {
        case Combine::sum:
            return add(x, y);
        case Combine::product:
            return mul(x, y);
        case Combine::maximum:
            return MaxSIOp::create(b, loc, x, y);
        default:
            return min(x, y);
    }
}

Value Lanes::combine_lanes(Combine how, Value vector) {
    int lanes = width_;
    while (lanes > 1) {
        llvm::SmallVector<int64_t> low, high;
        for (int i = 0; i < lanes / 2; ++i) {
            low.push_back(i);
            high.push_back(lanes / 2 + i);
        }
        Value x = mlir::vector::ShuffleOp::create(b, loc, vector, vector, low);
        Value y = mlir::vector::ShuffleOp::create(b, loc, vector, vector, high);
        vector = combine(how, x, y);
        lanes /= 2;
    }
    return extract(vector, 0);
}

}  // namespace catena::codegen::cpu
