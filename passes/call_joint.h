#pragma once

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Builders.h"

#include "runtime/ops/joinings.h"

namespace catena::passes {

/// Calls of one op that become one call on longer operands (Joining, runtime/ops/op.h).
struct CallJoint {
    llvm::SmallVector<mlir::Operation*> calls;
    Joining joining;

    /// How calls like `op` can be joined: what its OpDef says; the sum of a reduction's parts.
    static llvm::SmallVector<Joining, 2> joinings_of(mlir::Operation* op);
    /// Equal for calls that can be joined so.
    static std::vector<const void*> key_of(mlir::Operation* op, const Joining& joining);

    /// Program order or the reverse, whichever leaves less to copy.
    void choose_order();
    /// Of operands that do not lie side by side already.
    int64_t bytes_to_copy() const;
    /// Bytes that several calls would move and one does not: shared operands read again, terms of a sum.
    int64_t bytes_saved() const;
    /// The one call, at the builder's place.
    mlir::Operation* build(mlir::OpBuilder& builder) const;

private:
    llvm::SmallVector<mlir::Value> operands(int input) const;
};

/// The value of which `parts` are consecutive slices along `axis`, and where the first of them begins; null if
/// there is none.
struct SliceSource {
    mlir::Value value;
    int64_t begin = 0;
};
SliceSource source_of_slices(llvm::ArrayRef<mlir::Value> parts, int axis);

}  // namespace catena::passes
