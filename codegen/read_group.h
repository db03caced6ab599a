#pragma once

#include <functional>
#include <vector>

#include "mlir/IR/Operation.h"

#include "codegen/kernel/kernel.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::codegen {

/// A catena.group, or a lone map or reduce, as plain data. Inputs and scalars of the kernel are
/// `tensors` and `scalars` of the operation in order; outputs are its results in order.
struct GroupReading {
    Kernel kernel;
    std::vector<mlir::Value> tensors;
    std::vector<mlir::Value> scalars;
    int operations = 1;  ///< Maps and reductions inside.
};
/// `view` returns the memory layout of an operand.
GroupReading read_group(mlir::Operation* op, const std::function<View(mlir::Value)>& view,
                        bool fast_math);

}  // namespace catena::codegen
