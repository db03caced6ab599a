#pragma once

#include "codegen/schedule.h"
#include "runtime/program/portable.h"

namespace mlir {
class MLIRContext;
}

namespace catena::codegen {

/// Gives every kernel of the schedule its symbol, and compiles them for each level that is wanted.
void add_portable_code(PortableProgram& program, const PortableOptions& options, mlir::MLIRContext& context);

/// When reductions are cut where outer sizes are not known: only as these do not matter.
SplitRule any_size_split_rule();

}  // namespace catena::codegen
