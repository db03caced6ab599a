#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "codegen/cpu/kernel_values.h"

namespace catena::codegen::cpu {

/// The data that all parts of a kernel's code emission share.
struct Emission {
    Emission(mlir::OpBuilder& builder, mlir::Location location, const Kernel& kernel,
             const KernelOptions& options, const Processor& processor);

    /// Emits the loop "for (i = low; i < high; i += step) carried = body(i, carried)", in a scope
    /// of its own.
    template <class F>
    Values loop(mlir::Value low, mlir::Value high, int64_t step, const Values& carried, F&& body) {
        const KernelValues::Scope scope(values);
        auto op = mlir::scf::ForOp::create(b, loc, low, high, lanes.index(step), carried);
        mlir::OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(op.getBody());
        auto inside = op.getRegionIterArgs();
        Values next = body(op.getInductionVar(), Values(inside.begin(), inside.end()));
        if (!carried.empty()) mlir::scf::YieldOp::create(b, loc, next);
        return Values(op.getResults().begin(), op.getResults().end());
    }

    /// Emits low + the largest multiple of `step`, a power of two, that fits below high.
    mlir::Value whole_steps(mlir::Value low, mlir::Value high, int64_t step);
    /// Emits prefetches for these inputs, in loops down columns and in rows so short that vectors
    /// are masked. Processors prefetch by themselves only for loops over whole vectors, one after
    /// another.
    void fetch_ahead(const std::vector<bool>& inputs);
    /// The size of a dimension in this unit.
    mlir::Value high_of(int dim) const;

    mlir::OpBuilder& b;
    mlir::Location loc;
    const Kernel& kernel;
    const KernelOptions options;
    Lanes lanes;
    LoopNest nest;
    RowScratch scratch;
    KernelMemory memory;
    KernelValues values;
    mlir::Value high_of_split;  ///< The size of this unit's block of the dimension that is split.
};

}  // namespace catena::codegen::cpu
