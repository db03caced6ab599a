#pragma once

#include <optional>

#include "ir/dialect.h"
#include "runtime/ops/declare/tail.h"

namespace catena::passes {

/// An operand of a map beside the value that flows through it: a number for each channel, or a
/// single number, which the map reads or computes.
struct SideValue {
    ir::MapOp map;
    mlir::Value value;  ///< The operand in the map's body.
    bool is_negated = false;

    std::optional<double> constant() const;
};

/// The maps after a call that the call's epilogue can compute (runtime/ops/declare/tail.h).
class TailSteps {
public:
    /// Finds the maps; `y` is the result of the call.
    explicit TailSteps(mlir::Value y);

    llvm::ArrayRef<ir::MapOp> maps() const { return maps_; }
    /// Replaces the last map by the call with its epilogue. `range` is a bound of the call's first
    /// input, or null where nothing is known.
    void replace_by(const OpDef& tailed, mlir::Operation* call, const Attributes& attributes,
                    mlir::Value range);

private:
    /// The operands of one epilogue; each of its steps occurs once, in order.
    struct Operands {
        std::optional<SideValue> before, scale, shift, lowest, highest;
        mlir::Value other;
    };
    bool take(ir::MapOp map, mlir::Value through);
    bool take_step(Operands& operands, mlir::Operation& step, mlir::Value through,
                   ir::MapOp map) const;
    bool take_sum(Operands& operands, const SideValue& side) const;
    bool is_one_number(const SideValue& side) const;
    bool is_for_channels(const SideValue& side) const;

    mlir::Value y_;
    llvm::SmallVector<ir::MapOp> maps_;
    Operands operands_;
};

}  // namespace catena::passes
