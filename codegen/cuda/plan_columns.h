#pragma once

#include "codegen/kernel_program.h"

namespace catena::codegen::cuda {

/// Reductions of columns beside work on rows: first what the rows give, with the results of rows that columns read, then
/// the columns, each planned for itself.
KernelPlan plan_columns(const KernelProgram& program, const SplitRule& rule);

}  // namespace catena::codegen::cuda
