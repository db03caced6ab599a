#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "codegen/compiler/context_pool.h"
#include "passes/pipeline/pipeline.h"
#include "runtime/graph/trace/trace.h"

namespace catena::codegen {

/// A trace after all passes. Errors of the passes are a CompileError with their text.
struct LoweredProgram {
    /// Imports the trace and runs the passes; `imported` is called between the two.
    LoweredProgram(const Trace& trace, const passes::PipelineOptions& options,
                   const std::function<void(mlir::ModuleOp)>& imported = {});

    std::string complaints;  ///< All errors that MLIR has reported while this object exists.
    PooledContext pooled;
    mlir::MLIRContext& context;
    mlir::ScopedDiagnosticHandler handler;
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::vector<std::string> notes;
};

}  // namespace catena::codegen
