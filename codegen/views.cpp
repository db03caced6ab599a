#include "codegen/views.h"

#include "passes/analysis/channels_last.h"

namespace catena::codegen {

MemoryOrder order_of(mlir::OpResult result) {
    return passes::is_channels_last(result) ? MemoryOrder::channels_last : MemoryOrder::row_major;
}

View whole(int buffer, const Type& type, MemoryOrder order) {
    return {buffer, 0, type, strides_in(order, type.shape)};
}

}  // namespace catena::codegen
