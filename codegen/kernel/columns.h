#pragma once

#include "codegen/kernel/plan.h"

// Programs in which some reductions are over rows and others over columns. Each target plans them
// in its own way.

namespace catena::codegen {

/// Whether the kernel has a column reduction.
bool has_columns(const Kernel& kernel);

/// Plans one pass over the memory: blocks of rows that accumulate each column in memory, then the
/// combination of the blocks in their order.
KernelPlan plan_columns_with_rows(const Kernel& kernel, const SplitRule& rule);

/// Plans the rows first, with the results of rows that columns read, and then the columns, each by
/// itself.
KernelPlan plan_columns_after_rows(const Kernel& kernel, const SplitRule& rule);

}  // namespace catena::codegen
