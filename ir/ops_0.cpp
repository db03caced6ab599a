// Shard 0 of the generated definitions of the operations.
#include "ir/dialect.h"

#include "mlir/IR/Builders.h"

#include "ir/assembly.h"
#include "ir/type_rule.h"

#define GET_OP_DEFS_0
#include "ir/ops.cpp.inc"
