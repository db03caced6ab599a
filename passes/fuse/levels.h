#pragma once

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace catena::passes {

/// The level of each fusable operation: the number of non-fusable operations that run before it. An
/// operation runs as early as possible, unless all its users run later over the same domain and
/// keeping its operands alive costs no more memory than keeping its result. So the factor 1 - y of
/// a sigmoid's gradient belongs to the backward pass, although it could be computed in the forward
/// pass.
class Levels {
public:
    explicit Levels(mlir::Block& block);
    int of(mlir::Operation* op) const { return level_.lookup(op); }
    bool is_late(mlir::Operation* op) const { return level_.lookup(op) > earliest_.lookup(op); }

private:
    int earliest(mlir::Operation& op) const;
    /// The level of the operation's first user, if all users could be fused with it.
    int latest(mlir::Operation& op) const;
    /// The additional bytes that are alive until `latest` if `op` runs there.
    int64_t bytes_to_keep(mlir::Operation& op, int latest) const;

    llvm::DenseMap<mlir::Operation*, int> earliest_, level_;
};

}  // namespace catena::passes
