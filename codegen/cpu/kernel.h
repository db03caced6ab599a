#pragma once

#include <cstdint>

#include "codegen/kernel_program.h"
#include "codegen/cpu/target.h"

namespace catena::codegen {

/// What a kernel reads: addresses of inputs then outputs, run-time numbers of the user, and sizes and
/// strides in the order of `kernel_numbers`.
struct KernelArguments {
    void* const* pointers = nullptr;
    const double* scalars = nullptr;
    const int64_t* numbers = nullptr;
    void* row_scratch = nullptr;  ///< `row_scratch_bytes`, the thread's own.
};
/// Runs units [begin, end) of the parallel range; see `unit_count`.
using KernelFunction = void (*)(const KernelArguments*, int64_t begin, int64_t end);

/// Choices of code generation that are part of a kernel's identity.
struct KernelOptions {
    bool fast_math = false;
    bool streaming = false;  ///< Stores past the caches.
    bool row_scratch = false;  ///< Keeps values of a row between its stages, see RowScratch.
};

/// How a collapsed program is laid over vectors and units of parallel work.
struct KernelShape {
    bool lanes_reduced = false;  ///< The innermost dimension, that of the vector lanes, is reduced.
    int64_t block = 1;           ///< Elements of the innermost dimension per unit when it is not reduced.
    int64_t blocks = 1;          ///< Units along the innermost dimension.
    int64_t units = 1;
};
KernelShape shape_of(const KernelProgram& program);

/// Class of a stride as the code knows it.
enum class StrideClass : uint8_t { zero, one, general };
StrideClass stride_class(const KernelProgram& program, const KernelOperand& operand, int dim);

/// Sizes, then strides of class general, as the code reads them.
std::vector<int64_t> kernel_numbers(const KernelProgram& program);

/// Memory that one thread needs to keep values of a row; 0: nothing is worth keeping, or it would not stay in a
/// second-level cache.
int64_t row_scratch_bytes(const KernelProgram& program);

/// Text that two programs share exactly when the same code serves both.
std::string kernel_key(const KernelProgram& program, const KernelOptions& options,
                       const Target& target);

/// When reductions are cut in two launches on this target.
SplitRule split_rule();

/// Rough nanoseconds of one unit on one thread, to decide on threads.
double unit_nanoseconds(const KernelProgram& program);

}  // namespace catena::codegen
