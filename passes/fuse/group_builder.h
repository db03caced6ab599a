#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "passes/analysis/sweep.h"

namespace catena::passes {

/// Moves `members` (in program order, from one block) into a new catena.group before
/// `insertion_point`. Operands from outside become the group's operands; values used outside become
/// its results. A reshape that no other member reads stays outside, after the group, where it costs
/// nothing.
void build_group(llvm::ArrayRef<mlir::Operation*> members, const Sweep& sweep,
                 mlir::Operation* insertion_point);

}  // namespace catena::passes
