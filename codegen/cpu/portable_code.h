#pragma once

#include "codegen/draft.h"
#include "runtime/program/run/portable.h"

namespace mlir {
class MLIRContext;
}

namespace catena::codegen::cpu {

/// Finishes the draft as the program's schedule, whose kernels get their symbols, and compiles them
/// for each requested level.
void add_portable_code(PortableProgram& program, Draft draft, const PortableOptions& options,
                       mlir::MLIRContext& context);

}  // namespace catena::codegen::cpu
