#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "runtime/graph/trace/trace.h"

namespace catena::ir {

/// The recorded program as a module with one function @<region>: arguments as Trace::inputs,
/// results as Trace::outputs, one catena.assign per Trace::assigns. Decides by OpDef::kind, never
/// by name. CompileError, with the user's line, for what the dialect cannot express (a formula that
/// needs an intrinsic which does not exist on integers). The context must have the dialects of
/// load_dialects.
mlir::OwningOpRef<mlir::ModuleOp> import_trace(const Trace& trace, mlir::MLIRContext& context);

/// Loads the dialects of imported programs: catena, func, arith, math.
void load_dialects(mlir::MLIRContext& context);

}  // namespace catena::ir
