#pragma once

#include <optional>

#include "ir/dialect.h"
#include "runtime/ops/declare/tail.h"

namespace catena::passes {

/// A number for each channel, or one, that a map computes beside the value that goes through it, or
/// reads.
struct SideValue {
    ir::MapOp map;
    mlir::Value value;  ///< In the map's body.
    bool is_negated = false;

    std::optional<double> constant() const;
};

/// The maps after a call that a tail can do (runtime/ops/declare/tail.h).
class TailSteps {
public:
    /// `y`: the result of the call.
    explicit TailSteps(mlir::Value y);

    llvm::ArrayRef<ir::MapOp> maps() const { return maps_; }
    /// The call with its tail, `range` being null where nothing is known of its first input.
    /// Replaces the last map.
    void replace_by(const OpDef& tailed, mlir::Operation* call, const Attributes& attributes,
                    mlir::Value range);

private:
    /// Operands of one tail; each step of it comes once, in their order.
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
