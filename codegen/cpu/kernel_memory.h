#pragma once

#include <vector>

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include "codegen/cpu/finish.h"
#include "codegen/cpu/lanes.h"
#include "codegen/cpu/row_scratch.h"

namespace catena::codegen::cpu {

using Values = llvm::SmallVector<mlir::Value, 4>;

/// Memory access of the kernel being emitted: its arguments, the current position in every operand,
/// and loads and stores of the current lanes. Copy c of an operand is c vectors further; c < 0 is
/// the scalar at the first lane.
class KernelMemory {
public:
    KernelMemory(Lanes& lanes, const Kernel& kernel, const KernelOptions& options,
                 const RowScratch& scratch);

    /// Unpacks KernelArguments at the start of the function.
    void read_arguments(mlir::Value arguments);
    /// The sizes, by dimension.
    const Values& sizes() const { return sizes_; }
    mlir::Value scalar(int s) const { return scalars_[size_t(s)]; }
    /// The number of lanes of one unit, when lanes are kept (not reduced).
    mlir::Value block() const { return block_; }
    /// The number of units per row.
    mlir::Value blocks() const { return blocks_; }
    /// The full size of the dimension that was split.
    mlir::Value split_size() const { return split_size_; }

    /// Moves every operand to index `i` of `dim`.
    void step(int dim, mlir::Value i);
    /// The offset of each operand, in elements; restored after each loop.
    std::vector<mlir::Value>& offsets() { return offsets_; }
    /// Sets the index of the current vector in a row whose lanes are reduced.
    void set_lane(mlir::Value lane) { lane_ = lane; }

    /// Limits loads and stores to the first `remaining` lanes.
    void set_mask(mlir::Value remaining);
    void clear_mask() { mask_ = remaining_ = mlir::Value(); }
    /// The mask of valid lanes; null: all lanes are valid.
    mlir::Value mask() const { return mask_; }

    mlir::Value load(int operand, Register type, int c);
    /// Emits a prefetch of copy c of an input with contiguous lanes, `indices` of `dim` further on,
    /// even if it does not exist.
    void fetch(int input, int dim, int64_t indices, int c);
    /// Stores one element into `output`, which does not vary along the lanes.
    void store_scalar(int output, mlir::Value scalar, Register from);
    /// Stores into copy c of `output`; an accumulating output combines with the stored value.
    void store(int output, mlir::Value value, Register from, int c);
    void store_neutral(int output);

    /// Loads or stores a value that a stage of a row saves for the next.
    mlir::Value load_from_row(int value, int c);
    void store_to_row(int value, mlir::Value lanes, int c);

private:
    StrideClass class_of(int operand, int dim) const {
        return stride_class(kernel_, kernel_.operand(operand), dim);
    }
    mlir::Value load_field(mlir::Value base, int64_t position, mlir::Type type);
    mlir::Value address(int operand, mlir::Value offset, mlir::Type element);
    mlir::Value address_of_copy(int operand, int c, mlir::Type element);
    mlir::Value row_address(int value, int c, mlir::Type element);
    mlir::Value gather(int operand, mlir::Type element, int c, unsigned alignment);
    mlir::Value load_lanes(mlir::Value at, mlir::Type element, unsigned alignment);
    void store_lanes(mlir::Value at, mlir::Value stored, Dtype dtype, bool may_stream);

    Lanes& lanes_;
    mlir::OpBuilder& b;
    mlir::Location loc;
    const Kernel& kernel_;
    const KernelOptions& options_;
    const RowScratch& scratch_;

    Values sizes_, pointers_, scalars_;
    llvm::SmallVector<Values, 8> strides_;
    mlir::Value block_, blocks_, split_size_, row_scratch_, scratch_stride_;
    std::vector<mlir::Value> offsets_;
    mlir::Value mask_, remaining_, lane_;
};

}  // namespace catena::codegen::cpu
