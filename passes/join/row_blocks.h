#pragma once

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Builders.h"

#include "ir/dialect.h"

namespace catena::passes {

/// A block of rows of a tensor; all its axes but the last one count the rows, row-major.
struct RowBlock {
    mlir::Value of;
    int64_t begin, count;
};
using RowBlocks = llvm::SmallVector<RowBlock>;

int64_t row_count(mlir::Value value);
/// The rows of a tensor of rank 1 or more as blocks of other tensors' rows, found through reshapes
/// that leave the last axis alone, slices and concatenations along the first.
RowBlocks row_blocks(mlir::Value value);
/// The tensor that all blocks are rows of; null if there are several.
mlir::Value source_of(const RowBlocks& blocks);
/// Whether `reader` is the only operation that reads `value`, through such reshapes, slices and
/// concatenations.
bool is_read_only_by(mlir::Value value, mlir::Operation* reader);

/// The elements of `value`, counted row-major, that belong to the blocks, as a vector. `function`
/// is the name of new operations.
mlir::Value elements_at(mlir::OpBuilder& builder, mlir::Location location,
                        mlir::StringAttr function, mlir::Value value, const RowBlocks& blocks);

}  // namespace catena::passes
