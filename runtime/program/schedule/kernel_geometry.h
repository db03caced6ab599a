#pragma once

#include <cstdint>
#include <vector>

#include "runtime/core/array/shape.h"
#include "runtime/core/dtype/dtype.h"

namespace catena::program {

/// An operand in memory. Strides are in elements over the domain, 0 where it is broadcast.
struct KernelOperand {
    Dtype dtype{};
    Strides strides;
};

/// What the runtime knows of a kernel: the domain that it walks, some of whose dimensions are
/// reduced, and how its operands lie over it. What it computes is the compiler's (codegen/kernel).
struct KernelGeometry {
    Shape domain;
    uint32_t reduced = 0;  ///< Bit d: dimension d is reduced.
    std::vector<KernelOperand> inputs, outputs;
    int scalar_count = 0;
    /// Dimension 0 numbers blocks of the reduced dimension `split` (its size here is the block's,
    /// the last block may be shorter); -1 when nothing is split.
    int split = -1;
    int64_t split_size = 0;  ///< Full size of the dimension that was split.
    /// Kept dimensions 1 to `serial` are loops inside a unit; dimension 0 numbers the units.
    int serial = 0;

    bool is_reduced(int dim) const { return reduced >> dim & 1; }
    bool is_serial(int dim) const { return dim >= 1 && dim <= serial; }
    /// The innermost dimension.
    int inner() const { return domain.rank() - 1; }
    /// Operands are numbered: inputs, then outputs.
    int operand_count() const { return int(inputs.size() + outputs.size()); }
    const KernelOperand& operand(int o) const;
    int operand_of_output(int output) const { return int(inputs.size()) + output; }
};

/// The arguments of a kernel: addresses of inputs then outputs, the user's run-time numbers, sizes
/// and strides in the order of size_kernel().
struct KernelArguments {
    void* const* pointers = nullptr;
    const double* scalars = nullptr;
    const int64_t* numbers = nullptr;
    void* row_scratch = nullptr;  ///< `row_scratch_bytes`, the thread's own.
};
/// Runs units [begin, end) of the parallel range; see KernelShape.
using KernelFunction = void (*)(const KernelArguments*, int64_t begin, int64_t end);

/// The mapping of a collapsed geometry to vectors and units of parallel work.
struct KernelShape {
    bool lanes_reduced = false;  ///< The innermost dimension, that of the vector lanes, is reduced.
    int64_t block = 1;   ///< Elements of the innermost dimension per unit when it is not reduced.
    int64_t blocks = 1;  ///< Units along the innermost dimension.
    int64_t units = 1;
};
KernelShape shape_of(const KernelGeometry& geometry);

/// What the code assumes of a stride.
enum class StrideClass : uint8_t { zero, one, general };
StrideClass stride_class(const KernelGeometry& geometry, const KernelOperand& operand, int dim);

/// A stride that the code reads at run time.
struct StrideRead {
    int operand = 0, dim = 0;
};
/// The strides that code for `geometry` reads; the others are fixed as 0 or 1.
std::vector<StrideRead> strides_read(const KernelGeometry& geometry);

/// Bytes from one value's row to the next in a kernel's row scratch: elements of up to 8 bytes,
/// whole vectors.
int64_t row_scratch_stride(const KernelGeometry& geometry);

}  // namespace catena::program
