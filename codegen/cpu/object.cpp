#include "codegen/cpu/object.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include "runtime/core/system/error.h"

namespace catena::codegen::cpu {

std::unique_ptr<llvm::TargetMachine> make_machine(const Processor& processor, bool jit) {
    static const bool ready =
        !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
    if (!ready) fail<CompileError>("codegen: LLVM has no code generator for this machine");
    std::string error;
    llvm::Triple triple(processor.triple);
    const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!found) fail<CompileError>("codegen: LLVM has no target {}: {}", processor.triple, error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
        triple, processor.cpu, processor.features, options, llvm::Reloc::PIC_,
        llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, jit));
}

namespace {

void must_succeed(llvm::Error error, const char* what) {
    if (error) fail<CompileError>("codegen: {}: {}", what, llvm::toString(std::move(error)));
}

/// Kernels are vectorised already: only a few cheap clean-up passes help.
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
    must_succeed(
        builder.parsePassPipeline(passes, "function(early-cse,loop-mssa(licm),instsimplify)"),
        "LLVM's pipeline");
    passes.run(module, modules);
}

void emit(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type,
          llvm::raw_pwrite_stream& out) {
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, out, nullptr, type))
        fail<CompileError>("codegen: LLVM cannot emit code for {}", machine.getTargetCPU().str());
    passes.run(module);
}

void show(llvm::Module& module, llvm::TargetMachine& machine, const CodeListener& listener) {
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

}  // namespace

llvm::SmallVector<char, 0> make_object(llvm::Module& module, const Processor& processor, bool jit,
                                       const CodeListener& listener) {
    auto machine = make_machine(processor, jit);
    module.setDataLayout(machine->createDataLayout());
    module.setTargetTriple(machine->getTargetTriple());
    for (llvm::Function& function : module) {
        if (function.isDeclaration()) continue;
        function.addFnAttr("prefer-vector-width", std::to_string(processor.vector_bytes * 8));
        function.addFnAttr(llvm::Attribute::NoUnwind);
    }
    optimise(module, *machine);
    if (listener) show(module, *machine, listener);
    llvm::SmallVector<char, 0> object;
    llvm::raw_svector_ostream stream(object);
    emit(module, *machine, llvm::CodeGenFileType::ObjectFile, stream);
    return object;
}

}  // namespace catena::codegen::cpu
