#pragma once

#include "codegen/schedule.h"
#include "runtime/program/portable.h"

namespace mlir {
class MLIRContext;
}

namespace catena::codegen::cpu {

/// Gives every kernel of the schedule its symbol, and compiles them for each requested level.
void add_portable_code(PortableProgram& program, const PortableOptions& options, mlir::MLIRContext& context);

/// The split rule for unknown outer sizes: only splits that do not depend on them.
SplitRule any_size_split_rule();

}  // namespace catena::codegen::cpu
