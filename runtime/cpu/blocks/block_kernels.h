#pragma once

#include <cstdint>

#include "runtime/core/dtype/dtype.h"
#include "runtime/graph/op/op.h"
#include "runtime/scalar/formula.h"

namespace catena {

/// The types that a map is computed in, as indices of the kernel tables.
enum class Compute : uint8_t { float32, float64, int64 };
inline constexpr int compute_count = 3;
inline constexpr int combine_count = 4;
inline Compute compute_of(Dtype dtype) {
    if (dtype == Dtype::float64) return Compute::float64;
    return is_float(dtype) ? Compute::float32 : Compute::int64;
}
inline size_t size_of(Compute compute) { return compute == Compute::float32 ? 4 : 8; }

/// Kernels over blocks of elements that are dense, of the type computed in and in the first-level
/// cache. Truth values are masks: integers as wide as the type, 0 or all ones. `to` may be one of
/// the arguments.
struct BlockKernels {
    /// A kernel of one intrinsic on `n` elements. Bit k of `uniform` says that argument k is a
    /// single element.
    using Operation = void (*)(void* to, const void* a, const void* b, const void* c, int64_t n,
                               uint32_t uniform);
    /// A kernel that loads elements of some dtype, `stride` elements apart, into a dense block.
    using Load = void (*)(void* to, const void* from, int64_t n, int64_t stride);
    /// A kernel that stores a dense block to dense elements of some dtype; a uniform one is
    /// repeated.
    using Store = void (*)(void* to, const void* from, int64_t n, bool uniform);

    /// A kernel that combines `n` dense elements of the type computed in into one; the identity for
    /// none.
    using ReduceRow = void (*)(void* to, const void* from, int64_t n);

    const char* instruction_set;
    Operation operation[compute_count][intrinsic_count];
    Load load[compute_count][dtype_count];
    Store store[compute_count][dtype_count];
    Store store_truth[compute_count][dtype_count];  ///< Kernels that store masks as 1 and 0.
    ReduceRow reduce_row[combine_count][compute_count];
};

/// The best kernels that this machine can run. CATENA_CPU=scalar, avx2 or avx512
/// limits the choice.
const BlockKernels& block_kernels();

/// Kernels of one instruction set, for tests; null when it is not built in or the machine lacks it.
const BlockKernels* block_kernels_default();
const BlockKernels* block_kernels_avx2();
const BlockKernels* block_kernels_avx512();

}  // namespace catena
