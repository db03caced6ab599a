#include "codegen/compiler/lowered_program.h"

#include "codegen/stage_timer.h"
#include "ir/import.h"
#include "passes/pipeline/dump.h"
#include "runtime/core/system/error.h"

namespace catena::codegen {

LoweredProgram::LoweredProgram(const Trace& trace, const passes::PipelineOptions& options,
                               const std::function<void(mlir::ModuleOp)>& imported)
    : context(*pooled), handler(&context, [this](mlir::Diagnostic& diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
              complaints += (complaints.empty() ? "" : "; ") + diagnostic.str();
          return mlir::success();
      }) {
    StageTimer timer(options.dump);
    module = ir::import_trace(trace, context);
    timer.lap("import");
    if (options.dump) options.dump->program("import", *module);
    if (imported) imported(*module);
    if (mlir::failed(passes::run_pipeline(*module, options, notes)))
        fail<CompileError>("region {}: {}", trace.name, complaints);
}

}  // namespace catena::codegen
