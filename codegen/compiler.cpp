#include "codegen/compiler.h"

#include <chrono>

#include <fmt/format.h>

#include "llvm/Config/llvm-config.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "codegen/build_schedule.h"
#include "codegen/cpu/kernel.h"
#include "codegen/cpu/lower.h"
#include "codegen/cuda/kernel_provider.h"
#include "codegen/kernel_cache.h"
#include "ir/import.h"
#include "passes/dump.h"
#include "passes/pipeline.h"
#include "runtime/program/executable.h"

namespace catena {

namespace {

class MlirCompiler : public Compiler {
public:
    std::shared_ptr<Executable> compile(const Trace& trace, const CompileOptions& options) override {
        auto start = std::chrono::steady_clock::now();
        mlir::DialectRegistry registry;
        codegen::register_kernel_dialects(registry);
        mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
        ir::load_dialects(context);
        context.loadAllAvailableDialects();
        std::string complaints;
        mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& diagnostic) {
            if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
                complaints += (complaints.empty() ? "" : "; ") + diagnostic.str();
            return mlir::success();
        });

        passes::Dump dump(trace.name.empty() ? "region" : trace.name);
        mlir::OwningOpRef<mlir::ModuleOp> module = ir::import_trace(trace, context);
        dump.program("import", *module);
        std::vector<std::string> notes;
        passes::PipelineOptions pipeline{.fast_math = options.fast_math, .dump = &dump};
        if (mlir::failed(passes::run_pipeline(*module, pipeline, notes)))
            fail<CompileError>("region {}: {}", trace.name, complaints);

        auto seconds = [&] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        };
        if (options.device && !options.device->is_host()) {
            auto* device = dynamic_cast<CodeDevice*>(options.device);
            if (!device) fail<CompileError>("region {}: no programs are made for {}", trace.name, options.device->name());
            codegen::Schedule schedule =
                codegen::build_schedule(*module, trace, {options.fast_math, codegen::cuda::split_rule()});
            schedule.info.notes = std::move(notes);
            schedule.info.compile_seconds = seconds();
            auto program =
                std::make_shared<codegen::cuda::CodeExecutable>(std::move(schedule), *device, options.fast_math);
            if (dump.wants("kernels-cuda")) dump.text("kernels-cuda", "cu", program->text());
            return program;
        }
        codegen::Schedule schedule =
            codegen::build_schedule(*module, trace, {options.fast_math, codegen::split_rule()});
        if (dump.wants("schedule")) dump.text("schedule", "txt", codegen::to_string(schedule));
        codegen::CompiledKernels kernels;
        try {
            kernels = codegen::find_or_compile(schedule.kernels, context, dump);
        } catch (const CompileError& error) {
            if (complaints.empty()) throw;
            fail<CompileError>("region {}: {} ({})", trace.name, error.what(), complaints);
        }
        schedule.info.kernels = kernels.distinct;
        schedule.info.code_bytes = kernels.code_bytes;
        schedule.info.bytes = codegen::bytes_of(schedule) + kernels.code_bytes;
        schedule.info.notes = std::move(notes);
        schedule.info.compile_seconds = seconds();
        return std::make_shared<program::ScheduledExecutable>(std::move(schedule));
    }

    std::string version() const override {
        const codegen::Target& target = codegen::host_target();
        return fmt::format("LLVM {}, {}, {}-bit vectors", LLVM_VERSION_STRING, target.cpu,
                           target.vector_bytes * 8);
    }

    int kernels_compiled() const override { return codegen::kernels_compiled(); }
    KernelCacheState kernel_cache() const override { return codegen::kernel_cache_state(); }
    void set_kernel_cache_limit(size_t bytes) override { codegen::set_kernel_cache_limit(bytes); }

    KernelProvider& kernel_provider() override { return provider_; }

private:
    codegen::cuda::CompilingProvider provider_{
        [this](const Trace& trace, const CompileOptions& options) { return compile(trace, options); }};
};

}  // namespace

extern "C" Compiler* catena_compiler_create() {
    static MlirCompiler* compiler = new MlirCompiler;
    return compiler;
}

}  // namespace catena
