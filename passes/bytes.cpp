#include "passes/bytes.h"

#include "ir/types.h"

namespace catena::passes {

int64_t bytes_of(mlir::Value tensor) {
    Type type = ir::type_of(tensor);
    return element_count(type.shape) * int64_t(size_of(type.dtype));
}

}  // namespace catena::passes
