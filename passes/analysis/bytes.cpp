#include "passes/analysis/bytes.h"

#include "ir/types.h"
#include "runtime/core/array/sizes.h"

namespace catena::passes {

int64_t bytes_of(mlir::Value tensor) { return int64_t(byte_count(ir::type_of(tensor))); }

}  // namespace catena::passes
