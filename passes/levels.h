#pragma once

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace catena::passes {

/// At which point of a program an operation that can be fused should run: how many operations that cannot have gone
/// before it. As early as possible, unless all that use it sweep the same domain later and reading its operands again
/// then costs no more memory than keeping its result: the factor 1 - y of a sigmoid's gradient
/// belongs to the backward sweep, although it could be computed in the forward one.
class Levels {
public:
    explicit Levels(mlir::Block& block);
    int of(mlir::Operation* op) const { return level_.lookup(op); }
    bool is_late(mlir::Operation* op) const { return level_.lookup(op) > earliest_.lookup(op); }

private:
    int earliest(mlir::Operation& op) const;
    /// Where the first of its users runs, if all of them could be fused with it.
    int latest(mlir::Operation& op) const;
    /// Bytes that must be kept until `latest` only because `op` runs there.
    int64_t bytes_to_keep(mlir::Operation& op, int latest) const;

    llvm::DenseMap<mlir::Operation*, int> earliest_, level_;
};

}  // namespace catena::passes
