#include "codegen/cpu/jit.h"

#include <atomic>
#include <mutex>

#include <fmt/format.h>

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include "runtime/core/error.h"

namespace catena::codegen {

namespace {

template <class T>
T must(llvm::Expected<T> expected, const char* what) {
    if (expected) {
        if constexpr (std::is_reference_v<T>)
            return *expected;
        else
            return std::move(*expected);
    }
    fail<CompileError>("codegen: {}: {}", what, llvm::toString(expected.takeError()));
}
void must(llvm::Error error, const char* what) {
    if (error) fail<CompileError>("codegen: {}: {}", what, llvm::toString(std::move(error)));
}

std::unique_ptr<llvm::TargetMachine> make_machine() {
    const Target& target = host_target();
    std::string error;
    llvm::Triple triple(target.triple);
    const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!found) fail<CompileError>("codegen: LLVM has no target {}: {}", target.triple, error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
        triple, target.cpu, target.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
        llvm::CodeGenOptLevel::Default, /*JIT=*/true));
}

/// The process-wide JIT.
struct Jit {
    std::mutex mutex;
    std::unique_ptr<llvm::orc::LLJIT> lljit;
    std::atomic<int> modules{0};

    Jit() {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        auto machine = make_machine();
        llvm::orc::LLJITBuilder builder;
        builder.setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(machine->getTargetTriple()));
        builder.setDataLayout(machine->createDataLayout());
        lljit = must(builder.create(), "the JIT does not start");
        lljit->getMainJITDylib().addGenerator(
            must(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
                     lljit->getDataLayout().getGlobalPrefix()),
                 "symbols of this process"));
    }
};

Jit& jit() {
    static Jit* instance = new Jit;  // outlives every executable
    return *instance;
}

/// Kernels come vectorised: a few cheap clean-ups are all they gain from.
void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graphs;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
    llvm::ModulePassManager passes;
    must(builder.parsePassPipeline(passes, "function(early-cse,loop-mssa(licm),instsimplify)"),
         "LLVM's pipeline");
    passes.run(module, modules);
}

void emit(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type,
          llvm::raw_pwrite_stream& out) {
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, out, nullptr, type))
        fail<CompileError>("codegen: LLVM cannot emit code for {}", host_target().cpu);
    passes.run(module);
}

void show(llvm::Module& module, llvm::TargetMachine& machine, const JitListener& listener) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    listener("ll", text);
    // Emission changes the module, so the listing is made from a copy.
    auto copy = llvm::CloneModule(module);
    llvm::SmallVector<char> assembly;
    llvm::raw_svector_ostream assembly_stream(assembly);
    emit(*copy, machine, llvm::CodeGenFileType::AssemblyFile, assembly_stream);
    listener("s", std::string(assembly.data(), assembly.size()));
}

/// Removes the library when nobody needs its functions any more.
std::shared_ptr<void> owner_of(llvm::orc::JITDylib& library) {
    return std::shared_ptr<void>(&library, [](void* library) {
        Jit& j = jit();
        std::lock_guard lock(j.mutex);
        llvm::consumeError(
            j.lljit->getExecutionSession().removeJITDylib(*static_cast<llvm::orc::JITDylib*>(library)));
    });
}

JitResult link(std::unique_ptr<llvm::MemoryBuffer> object, const std::vector<std::string>& names) {
    Jit& j = jit();
    JitResult result;
    result.code_bytes = object->getBufferSize();
    std::lock_guard lock(j.mutex);
    auto& library = must(j.lljit->createJITDylib(fmt::format("kernels{}", j.modules++)), "a library of kernels");
    library.addToLinkOrder(j.lljit->getMainJITDylib());
    must(j.lljit->addObjectFile(library, std::move(object)), "linking kernels");
    for (const std::string& name : names)
        result.functions.push_back(must(j.lljit->lookup(library, name), "looking a kernel up").toPtr<void*>());
    result.code = owner_of(library);
    return result;
}

}  // namespace

JitResult jit_compile(std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module,
                      const std::vector<std::string>& names, const JitListener& listener,
                      bool keep_object) {
    jit();
    auto machine = make_machine();
    module->setDataLayout(machine->createDataLayout());
    module->setTargetTriple(machine->getTargetTriple());
    for (llvm::Function& function : *module) {
        if (function.isDeclaration()) continue;
        function.addFnAttr("prefer-vector-width", std::to_string(host_target().vector_bytes * 8));
        function.addFnAttr(llvm::Attribute::NoUnwind);
    }
    optimise(*module, *machine);
    if (listener) show(*module, *machine, listener);
    llvm::SmallVector<char, 0> object;
    {
        llvm::raw_svector_ostream stream(object);
        emit(*module, *machine, llvm::CodeGenFileType::ObjectFile, stream);
    }
    module.reset();
    context.reset();

    std::string kept = keep_object ? std::string(object.data(), object.size()) : std::string();
    JitResult result =
        link(std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), false), names);
    result.object = std::move(kept);
    return result;
}

JitResult jit_load(const std::string& object, const std::vector<std::string>& names) {
    return link(llvm::MemoryBuffer::getMemBufferCopy(object, "kernels"), names);
}

}  // namespace catena::codegen
