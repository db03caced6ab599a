#pragma once

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Builders.h"

#include "ir/dialect.h"

namespace catena::passes {

/// Some rows of a tensor: all its axes but the last one count them, row-major.
struct RowBlock {
    mlir::Value of;
    int64_t begin, count;
};
using RowBlocks = llvm::SmallVector<RowBlock>;

int64_t row_count(mlir::Value value);
/// The rows of a tensor of rank 1 or more, looking through reshapes that leave the last axis alone,
/// slices and concatenations along the first.
RowBlocks row_blocks(mlir::Value value);
/// The tensor of which all of them are rows; null if there is none.
mlir::Value source_of(const RowBlocks& blocks);
/// Whether all that reads `value`, through such operations, is `reader`.
bool is_read_only_by(mlir::Value value, mlir::Operation* reader);

/// Elements of `value`, counted row-major, block after block: a vector. `function` names what is
/// made for it.
mlir::Value elements_at(mlir::OpBuilder& builder, mlir::Location location,
                        mlir::StringAttr function, mlir::Value value, const RowBlocks& blocks);

}  // namespace catena::passes
