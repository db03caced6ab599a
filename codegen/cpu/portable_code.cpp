#include "codegen/cpu/portable_code.h"

#include <map>

#include <fmt/format.h>

#include "codegen/cpu/finish.h"
#include "codegen/cpu/link_library.h"
#include "codegen/cpu/object.h"
#include "codegen/cpu/kernel_module.h"
#include "runtime/core/system/hash.h"

namespace catena::codegen::cpu {

namespace {

/// A part of symbol names that differs between programs with different kernels, so that several can
/// be linked together.
uint64_t hash_of(const std::vector<KernelLaunch>& kernels) {
    uint64_t hash = fnv1a("");
    for (const KernelLaunch& kernel : kernels) hash = fnv1a(kernel.key, hash);
    return hash;
}

/// Programs with the same kernels have the same code and names: the linker may pick any.
void let_names_repeat(llvm::Module& module) {
    for (llvm::Function& function : module)
        if (!function.isDeclaration() && !function.hasLocalLinkage())
            function.setLinkage(llvm::GlobalValue::WeakODRLinkage);
}

}  // namespace

void add_portable_code(PortableProgram& program, Draft draft, const PortableOptions& options,
                       mlir::MLIRContext& context) {
    const std::vector<WantedKernel> wanted =
        finish(draft, {.fast_math = options.fast_math, .streaming = !options.any_size});
    Schedule& schedule = draft.schedule;
    std::map<std::string, std::string> symbols;
    std::vector<const WantedKernel*> distinct;
    std::vector<std::string> names;
    const std::string prefix = fmt::format("catena_{:016x}_", hash_of(schedule.kernels));
    for (const WantedKernel& each : wanted) {
        KernelLaunch& kernel = *each.launch;
        auto [known, is_new] = symbols.try_emplace(kernel.key);
        if (is_new) {
            known->second =
                prefix + kernel_symbol(kernel, names.size()) + "_" + program::code_form(kernel);
            names.push_back(known->second);
            distinct.push_back(&each);
        }
        kernel.symbol = known->second;
    }
    schedule.info.kernels = int(distinct.size());
    for (const std::string& level : options.levels) {
        const Processor processor = processor_of_level(level);
        std::vector<std::string> level_names;
        for (const std::string& name : names)
            level_names.push_back(program::symbol_at(name, level));
        KernelModule kernels = lower_kernels(distinct, level_names, processor, context, nullptr);
        let_names_repeat(*kernels.module);
        CodeListener listener;
        if (options.stages)
            listener = [&](const char* extension, const std::string& text) {
                program.stages.emplace_back(level + "." + extension, text);
            };
        const auto object = make_object(*kernels.module, processor, false, listener);
        PortableProgram::Code code{level, std::string(object.data(), object.size()), {}};
        code.library = link_library(code.object);
        program.code.push_back(std::move(code));
    }
    program.schedule = std::move(schedule);
}

}  // namespace catena::codegen::cpu
