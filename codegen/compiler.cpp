#include "codegen/compiler.h"

#include <chrono>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "llvm/Config/llvm-config.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "codegen/build_schedule.h"
#include "codegen/context_pool.h"
#include "codegen/cpu/kernel.h"
#include "codegen/cuda/kernel_provider.h"
#include "codegen/cuda/layout.h"
#include "codegen/cuda/schedule_code.h"
#include "codegen/kernel_cache.h"
#include "codegen/kernel_module.h"
#include "codegen/portable.h"
#include "ir/import.h"
#include "passes/dump.h"
#include "passes/pipeline.h"
#include "runtime/profile/profiler.h"
#include "runtime/program/scheduled_executable.h"

namespace catena {

namespace {

/// A trace after all passes.
struct LoweredProgram {
    /// `imported` is called between import and passes.
    LoweredProgram(const Trace& trace, const passes::PipelineOptions& options,
                   const std::function<void(mlir::ModuleOp)>& imported = {})
        : context(*pooled), handler(&context, [this](mlir::Diagnostic& diagnostic) {
              if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
                  complaints += (complaints.empty() ? "" : "; ") + diagnostic.str();
              return mlir::success();
          }) {
        passes::Dump* const dump = options.dump;
        codegen::StageTimer timer(dump);
        module = ir::import_trace(trace, context);
        timer.lap("import");
        if (dump) dump->program("import", *module);
        if (imported) imported(*module);
        if (mlir::failed(passes::run_pipeline(*module, options, notes)))
            fail<CompileError>("region {}: {}", trace.name, complaints);
    }

    std::string complaints;
    codegen::PooledContext pooled;
    mlir::MLIRContext& context;
    mlir::ScopedDiagnosticHandler handler;
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::vector<std::string> notes;
};

class MlirCompiler : public Compiler {
public:
    PortableProgram compile_portable(const Trace& trace, const PortableOptions& options) override {
        PortableProgram program;
        LoweredProgram lowered(trace, {.fast_math = options.fast_math, .any_size = options.any_size}, [&](mlir::ModuleOp imported) {
            if (options.stages) program.stages.emplace_back("import.mlir", passes::print_with_places(imported));
        });
        mlir::OwningOpRef<mlir::ModuleOp>& module = lowered.module;
        program.schedule = codegen::build_schedule(
            *module, trace,
            {.fast_math = options.fast_math,
             .rule = options.any_size ? codegen::any_size_split_rule() : codegen::split_rule(),
             .streaming = !options.any_size});
        program.schedule.info.notes = lowered.notes;
        if (options.stages) {
            program.stages.emplace_back("fused.mlir", passes::print_with_places(*module));
            program.stages.emplace_back("schedule.txt", codegen::to_string(program.schedule));
        }
        codegen::add_portable_code(program, options, lowered.context);
        return program;
    }

    DevicePortableProgram compile_portable_for_device(std::span<const Trace* const> runs,
                                                      const DevicePortableOptions& options) override {
        DevicePortableProgram program;
        codegen::SplitRule rule = codegen::cuda::split_rule();
        if (runs.size() > 1) rule.smallest = std::numeric_limits<int64_t>::max();  // The number of blocks depends on the
                                                                                   // sizes.
        for (const Trace* trace : runs) {
            const bool shown = options.stages && program.schedules.empty();
            LoweredProgram lowered(*trace, {.fast_math = options.fast_math, .any_size = runs.size() > 1}, [&](mlir::ModuleOp imported) {
                if (shown) program.stages.emplace_back("import.mlir", passes::print_with_places(imported));
            });
            program.schedules.push_back(codegen::build_schedule(
                *lowered.module, *trace, {.fast_math = options.fast_math, .rule = rule, .streaming = false}));
            program.schedules.back().info.notes = lowered.notes;
            if (!shown) continue;
            program.stages.emplace_back("fused.mlir", passes::print_with_places(*lowered.module));
            program.stages.emplace_back("cuda_schedule.txt", codegen::to_string(program.schedules.back()));
        }
        codegen::cuda::add_device_code(program, options);
        return program;
    }
    std::vector<std::string> portable_architectures(const CodeDevice& device) override {
        return codegen::cuda::portable_architectures(device);
    }

    std::shared_ptr<Executable> compile(const Trace& trace, const CompileOptions& options) override {
        const profile::Span span("compile", trace.name);
        auto start = std::chrono::steady_clock::now();
        passes::Dump dump(trace.name.empty() ? "region" : trace.name);
        const bool on_host = !options.device || options.device->is_host();
        LoweredProgram lowered(trace, {.fast_math = options.fast_math, .dump = &dump, .channels_last = on_host});
        mlir::OwningOpRef<mlir::ModuleOp>& module = lowered.module;
        auto seconds = [&] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        };
        if (!on_host) {
            auto* device = dynamic_cast<CodeDevice*>(options.device);
            if (!device) fail<CompileError>("region {}: programs cannot be compiled for {}", trace.name, options.device->name());
            codegen::Schedule schedule =
                codegen::build_schedule(*module, trace, {options.fast_math, codegen::cuda::split_rule()});
            schedule.info.notes = std::move(lowered.notes);
            schedule.info.compile_seconds = seconds();
            const bool shown = dump.wants("kernels-cuda");
            std::string text;
            auto program = codegen::cuda::make_executable(std::move(schedule), *device, options.fast_math,
                                                          shown ? &text : nullptr);
            if (shown) dump.text("kernels-cuda", "cu", text);
            return program;
        }
        codegen::StageTimer timer(&dump);
        codegen::Schedule schedule =
            codegen::build_schedule(*module, trace, {options.fast_math, codegen::split_rule()});
        timer.lap("schedule");
        if (dump.wants("schedule")) dump.text("schedule", "txt", codegen::to_string(schedule));
        codegen::CompiledKernels kernels;
        try {
            kernels = codegen::find_or_compile(schedule.kernels, lowered.context, dump);
        } catch (const CompileError& error) {
            if (lowered.complaints.empty()) throw;
            fail<CompileError>("region {}: {} ({})", trace.name, error.what(), lowered.complaints);
        }
        schedule.info.kernels = kernels.distinct;
        schedule.info.code_bytes = kernels.code_bytes;
        schedule.info.bytes = program::bytes_of(schedule) + kernels.code_bytes;
        schedule.info.notes = std::move(lowered.notes);
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
