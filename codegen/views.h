#pragma once

#include <optional>

#include "mlir/IR/Value.h"

#include "codegen/kernel/kernel.h"
#include "runtime/program/schedule.h"
#include "runtime/core/memory_order.h"

namespace catena::codegen {

/// The memory order that the passes chose for a result.
MemoryOrder order_of(mlir::OpResult result);

/// A view of a whole buffer in one of the two memory orders.
View whole(int buffer, const Type& type, MemoryOrder order = MemoryOrder::row_major);

/// The view after an operation; none if that needs a copy.
std::optional<View> reshaped(const View& view, const Shape& shape);
View transposed(const View& view, std::span<const int64_t> axes);
View broadcast(const View& view, const Shape& shape);
View sliced(const View& view, std::span<const int64_t> begin, std::span<const int64_t> step, const Shape& shape);

}  // namespace catena::codegen
