#pragma once

#include <cstdint>

#include "codegen/kernel_program.h"
#include "codegen/cpu/target.h"

namespace catena::codegen {

/// How many values of a row a thread keeps in memory; 0: nothing is worth keeping, or it would not stay in a
/// second-level cache.
int row_scratch_rows(const KernelProgram& program);

/// Text that two programs share exactly when the same code serves both.
std::string kernel_key(const KernelProgram& program, const KernelOptions& options,
                       const Target& target);

/// When reductions are cut in two launches on this target.
SplitRule split_rule();

/// Rough nanoseconds of one index of the domain on one thread, to decide on threads.
double element_nanoseconds(const KernelProgram& program);

}  // namespace catena::codegen
