#pragma once

#include "mlir/IR/Value.h"

#include "codegen/kernel/kernel.h"
#include "runtime/program/schedule/views.h"
#include "runtime/core/array/memory_order.h"

namespace catena::codegen {

/// The memory order that the passes chose for a result.
MemoryOrder order_of(mlir::OpResult result);

/// A view of a whole buffer in one of the two memory orders.
View whole(int buffer, const Type& type, MemoryOrder order = MemoryOrder::row_major);

}  // namespace catena::codegen
