#pragma once

#include <cstdint>

#include "codegen/kernel/plan.h"
#include "codegen/cpu/processor.h"

namespace catena::codegen::cpu {

/// The number of values of a row that a thread keeps in memory; 0: keeping does not pay, or exceeds the
/// second-level cache.
int row_scratch_rows(const KernelProgram& program);

/// A text that is equal for two programs exactly if they can use the same code.
std::string kernel_key(const KernelProgram& program, const KernelOptions& options,
                       const Processor& processor);

/// When reductions are split into two launches on this target.
SplitRule split_rule();

/// Estimated nanoseconds per index of the domain on one thread, to choose the number of threads.
double element_nanoseconds(const KernelProgram& program);

}  // namespace catena::codegen::cpu
