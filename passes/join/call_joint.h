#pragma once

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Builders.h"

#include "runtime/ops/declare/joined_calls.h"

namespace catena::passes {

/// A set of calls of one op that become one call on longer operands (Joining,
/// runtime/ops/declare/joined_calls.h).
struct CallJoint {
    llvm::SmallVector<mlir::Operation*> calls;
    Joining joining;

    /// How calls like `op` can be joined: as declared for its OpDef; for reductions, the sum of
    /// parts.
    static llvm::SmallVector<Joining, 2> joinings_of(mlir::Operation* op);
    /// A key that is equal for calls that can be joined in this way.
    static std::vector<const void*> key_of(mlir::Operation* op, const Joining& joining);

    /// Chooses program order or the reverse, whichever leaves less to copy.
    void choose_order();
    /// Bytes of operands that are not contiguous and must be copied.
    int64_t bytes_to_copy() const;
    /// Bytes of memory traffic that the joined call saves: repeated reads of shared operands,
    /// stored terms of a sum.
    int64_t bytes_saved() const;
    /// Creates the joined call at the builder's insertion point.
    mlir::Operation* build(mlir::OpBuilder& builder) const;

private:
    llvm::SmallVector<mlir::Value> operands(int input) const;
};

/// A value whose consecutive slices along `axis` are `parts`, and where the first of them begins;
/// null if there is none.
struct SliceSource {
    mlir::Value value;
    int64_t begin = 0;
};
SliceSource source_of_slices(llvm::ArrayRef<mlir::Value> parts, int axis);

/// The concatenation of the parts along `axis`: their source or a slice of it, else a new concat.
mlir::Value side_by_side(mlir::OpBuilder& builder, mlir::Location location,
                         llvm::ArrayRef<mlir::Value> parts, int axis);

}  // namespace catena::passes
