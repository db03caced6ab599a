#include "codegen/compiler.h"

#include <algorithm>

#include <fmt/format.h>

#include "llvm/Config/llvm-config.h"

#include "codegen/build_schedule.h"
#include "codegen/compiler/lowered_program.h"
#include "codegen/cpu/code_cache.h"
#include "codegen/cpu/finish.h"
#include "codegen/cpu/portable_code.h"
#include "codegen/cpu/target.h"
#include "codegen/cuda/kernel_provider.h"
#include "codegen/cuda/layout.h"
#include "codegen/cuda/schedule_code.h"
#include "codegen/cuda/target.h"
#include "codegen/schedule_text.h"
#include "codegen/stage_timer.h"
#include "passes/pipeline/dump.h"
#include "passes/pipeline/pipeline.h"
#include "passes/rematerialize.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/system/fork.h"
#include "runtime/profile/profiler.h"

namespace catena {

namespace {

using codegen::Draft;
using codegen::LoweredProgram;
using Stages = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<codegen::Target> target_of(const Trace& trace, const CompileOptions& options) {
    if (!options.device || options.device->is_host())
        return std::make_unique<codegen::cpu::HostTarget>(options.fast_math);
    auto* device = dynamic_cast<CodeDevice*>(options.device);
    if (!device)
        fail<CompileError>(
            "region {}: programs cannot be compiled for {}; use cpu or a CUDA device", trace.name,
            options.device->name());
    return std::make_unique<codegen::cuda::DeviceTarget>(*device, options.fast_math);
}

/// A program for other processes that has no code yet. `stages`, if given, receives its forms.
struct PortableDraft {
    PortableDraft(const Trace& trace, const passes::PipelineOptions& options,
                  const codegen::SplitRule& rule, Stages* stages, const char* schedule_name)
        : lowered(trace, options,
                  [&](mlir::ModuleOp imported) {
                      if (stages)
                          stages->emplace_back("import.mlir", passes::print_with_places(imported));
                  }),
          draft(codegen::build_schedule(*lowered.module, trace, rule, options.fast_math)) {
        draft.schedule.info.notes = lowered.notes;
        if (!stages) return;
        stages->emplace_back("fused.mlir", passes::print_with_places(*lowered.module));
        stages->emplace_back(schedule_name, codegen::to_string(draft.schedule));
    }

    LoweredProgram lowered;
    Draft draft;
};

/// The bytes of all arrays that the program makes: more than it needs at a time.
int64_t bytes_of_values(const Trace& trace) {
    int64_t bytes = 0;
    for (const auto& value : trace.values) bytes += int64_t(byte_count(value.type));
    return bytes;
}

/// The program before its code, and what it came from. Passes estimate memory, the planner knows
/// it: under a budget that was missed they are given a smaller one.
Draft draft_within_budget(const Trace& trace, const CompileOptions& options,
                          const codegen::Target& target, passes::Dump& dump,
                          std::unique_ptr<LoweredProgram>& lowered) {
    constexpr int most_attempts = 4;
    int64_t goal = options.memory_budget;
    for (int attempt = 1;; ++attempt) {
        lowered.reset();  // Its context serves the next.
        dump.restart();
        lowered = std::make_unique<LoweredProgram>(
            trace, passes::PipelineOptions{
                       .fast_math = options.fast_math,
                       .dump = &dump,
                       .for_host = target.is_host(),
                       .channels_last = target.channels_last(),
                       .memory_budget = goal,
                       .is_large = bytes_of_values(trace) >= passes::saves_memory_from});
        codegen::StageTimer timer(&dump);
        Draft draft = codegen::build_schedule(*lowered->module, trace, target.split_rule(),
                                              options.fast_math);
        timer.lap("schedule");
        draft.schedule.info.notes = lowered->notes;
        const auto bytes = int64_t(draft.schedule.arena_bytes);
        if (bytes <= options.memory_budget || options.memory_budget <= 0) return draft;
        if (attempt == most_attempts) {
            draft.schedule.info.notes.push_back(
                fmt::format("memory_budget: {} bytes were asked for, {} are needed",
                            options.memory_budget, bytes));
            return draft;
        }
        goal = std::max<int64_t>(
            1, int64_t(0.98 * double(goal) * double(options.memory_budget) / double(bytes)));
    }
}

class MlirCompiler : public Compiler {
public:
    std::shared_ptr<Executable> compile(const Trace& trace,
                                        const CompileOptions& options) override {
        const NoFork whole;
        const profile::Span span("compile", trace.name);
        const auto begin = std::chrono::steady_clock::now();
        passes::Dump dump(trace.name.empty() ? "region" : trace.name,
                          passes::DumpSettings::from_environment(passes::stage_names()));
        const std::unique_ptr<codegen::Target> target = target_of(trace, options);
        std::unique_ptr<LoweredProgram> lowered;
        Draft draft = draft_within_budget(trace, options, *target, dump, lowered);
        if (dump.wants("schedule"))
            dump.text("schedule", "txt", codegen::to_string(draft.schedule));
        try {
            return target->compile(std::move(draft), {lowered->context, dump, begin});
        } catch (const CompileError& error) {
            if (lowered->complaints.empty()) throw;
            fail<CompileError>("region {}: {} ({})", trace.name, error.what(), lowered->complaints);
        }
    }

    PortableProgram compile_portable(const Trace& trace, const PortableOptions& options) override {
        const NoFork whole;
        PortableProgram program;
        PortableDraft made(trace, {.fast_math = options.fast_math, .any_size = options.any_size},
                           codegen::cpu::split_rule(options.any_size),
                           options.stages ? &program.stages : nullptr, "schedule.txt");
        codegen::cpu::add_portable_code(program, std::move(made.draft), options,
                                        made.lowered.context);
        return program;
    }

    DevicePortableProgram compile_portable_for_device(
        std::span<const Trace* const> runs, const DevicePortableOptions& options) override {
        const NoFork whole;
        DevicePortableProgram program;
        const bool any_size = runs.size() > 1;
        std::vector<Draft> drafts;
        for (const Trace* trace : runs) {
            const bool shown = options.stages && drafts.empty();
            PortableDraft made(*trace, {.fast_math = options.fast_math, .any_size = any_size},
                               codegen::cuda::split_rule(any_size),
                               shown ? &program.stages : nullptr, "cuda_schedule.txt");
            drafts.push_back(std::move(made.draft));
        }
        codegen::cuda::add_device_code(program, std::move(drafts), options);
        return program;
    }
    std::vector<std::string> portable_architectures(const CodeDevice& device) override {
        return codegen::cuda::portable_architectures(device);
    }

    std::string version() const override {
        const codegen::cpu::Processor& processor = codegen::cpu::host_processor();
        return fmt::format("LLVM {}, {}, {}-bit vectors", LLVM_VERSION_STRING, processor.cpu,
                           processor.vector_bytes * 8);
    }

    int kernels_compiled() const override { return codegen::cpu::kernels_compiled(); }
    KernelCacheState kernel_cache() const override { return codegen::cpu::kernel_cache_state(); }
    void set_kernel_cache_limit(size_t bytes) override {
        codegen::cpu::set_kernel_cache_limit(bytes);
    }

    KernelProvider& kernel_provider() override { return provider_; }

private:
    codegen::cuda::CompilingProvider provider_{
        [this](const Trace& trace, const CompileOptions& options) {
            return compile(trace, options);
        }};
};

}  // namespace

extern "C" Compiler* catena_compiler_create() {
    static MlirCompiler* compiler = new MlirCompiler;
    return compiler;
}

}  // namespace catena
