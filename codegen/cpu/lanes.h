#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include "codegen/kernel/kernel.h"

namespace catena::codegen::cpu {

/// Small steps of kernel emission: scalars and vectors of one fixed lane count.
class Lanes {
public:
    Lanes(mlir::OpBuilder& builder, mlir::Location loc, int width)
        : b(builder), loc(loc), width_(width) {}

    int width() const { return width_; }
    mlir::Type scalar_type(Register r) const;
    /// The integer or float type that holds a dtype in memory.
    mlir::Type storage_type(Dtype dtype) const;
    mlir::VectorType vector_of(mlir::Type scalar) const {
        return mlir::VectorType::get({width_}, scalar);
    }
    /// The type `scalar`, or the vector of it when `like` is a vector.
    mlir::Type shaped_like(mlir::Value like, mlir::Type scalar) const;

    /// An i64 constant.
    mlir::Value index(int64_t value);
    /// A constant of any scalar or vector type; vectors hold it in every lane.
    mlir::Value constant(mlir::Type type, double value);
    mlir::Value integer(mlir::Type type, int64_t value);
    mlir::Value splat(mlir::Value scalar);
    mlir::Value extract(mlir::Value vector, int lane);
    mlir::Value insert(mlir::Value scalar, mlir::Value vector, int lane);

    mlir::Value add(mlir::Value x, mlir::Value y) {
        return mlir::arith::AddIOp::create(b, loc, x, y);
    }
    mlir::Value sub(mlir::Value x, mlir::Value y) {
        return mlir::arith::SubIOp::create(b, loc, x, y);
    }
    mlir::Value mul(mlir::Value x, mlir::Value y) {
        return mlir::arith::MulIOp::create(b, loc, x, y);
    }
    mlir::Value min(mlir::Value x, mlir::Value y) {
        return mlir::arith::MinSIOp::create(b, loc, x, y);
    }
    mlir::Value div(mlir::Value x, mlir::Value y) {
        return mlir::arith::DivUIOp::create(b, loc, x, y);
    }
    mlir::Value rem(mlir::Value x, mlir::Value y) {
        return mlir::arith::RemUIOp::create(b, loc, x, y);
    }
    mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) {
        return mlir::arith::SelectOp::create(b, loc, c, x, y);
    }
    mlir::Value compare(mlir::arith::CmpFPredicate p, mlir::Value x, mlir::Value y) {
        return mlir::arith::CmpFOp::create(b, loc, p, x, y);
    }
    mlir::Value compare(mlir::arith::CmpIPredicate p, mlir::Value x, mlir::Value y) {
        return mlir::arith::CmpIOp::create(b, loc, p, x, y);
    }

    /// Converts a value from its form in memory to that in a register (from_storage) or back
    /// (to_storage), as C++ converts.
    mlir::Value from_storage(mlir::Value stored, Dtype dtype, Register to);
    mlir::Value to_storage(mlir::Value value, Register from, Dtype dtype);
    mlir::Value convert(mlir::Value value, Register from, Register to);

    /// Maximum and minimum that propagate NaN; of a zero of either sign, either.
    mlir::Value float_extreme(mlir::Value x, mlir::Value y, bool maximum);
    /// The quotient or remainder, rounded towards zero; 0 when y is 0, and no trap when the
    /// quotient overflows.
    mlir::Value safe_divide(mlir::Value x, mlir::Value y, bool remainder);
    mlir::Value neutral(Combine combine, mlir::Type type);
    mlir::Value combine(Combine combine, mlir::Value x, mlir::Value y);
    /// Combines all lanes, as a balanced tree.
    mlir::Value combine_lanes(Combine combine, mlir::Value vector);

    mlir::OpBuilder& b;
    mlir::Location loc;

private:
    int width_;
};

/// Whether v is f32 or f64, scalar or vector.
bool is_float_value(mlir::Value v);

}  // namespace catena::codegen::cpu
