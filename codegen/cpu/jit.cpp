#include "codegen/cpu/jit.h"

#include <atomic>
#include <mutex>

#include <fmt/format.h>

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"

namespace catena::codegen::cpu {

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

/// The process-wide JIT.
struct Jit {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::unique_ptr<llvm::orc::LLJIT> lljit;
    std::atomic<int> modules{0};

    Jit() {
        auto machine = make_machine(host_processor(), true);
        llvm::orc::LLJITBuilder builder;
        builder.setJITTargetMachineBuilder(
            llvm::orc::JITTargetMachineBuilder(machine->getTargetTriple()));
        builder.setDataLayout(machine->createDataLayout());
        lljit = must(builder.create(), "the JIT cannot be started");
        lljit->getMainJITDylib().addGenerator(
            must(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
                     lljit->getDataLayout().getGlobalPrefix()),
                 "symbols of this process"));
    }
};

Jit& jit() {
    static Jit* instance = new Jit;  // never destroyed: outlives every executable
    return *instance;
}

/// Removes the library when its functions are no longer referenced.
std::shared_ptr<void> owner_of(llvm::orc::JITDylib& library) {
    return std::shared_ptr<void>(&library, [](void* library) {
        const NoFork whole;
        Jit& j = jit();
        std::lock_guard lock(j.mutex);
        llvm::consumeError(j.lljit->getExecutionSession().removeJITDylib(
            *static_cast<llvm::orc::JITDylib*>(library)));
    });
}

JitResult link(std::unique_ptr<llvm::MemoryBuffer> object, const std::vector<std::string>& names) {
    Jit& j = jit();
    JitResult result;
    result.code_bytes = object->getBufferSize();
    std::lock_guard lock(j.mutex);
    auto& library = must(j.lljit->createJITDylib(fmt::format("kernels{}", j.modules++)),
                         "a library of kernels");
    library.addToLinkOrder(j.lljit->getMainJITDylib());
    must(j.lljit->addObjectFile(library, std::move(object)), "linking kernels");
    for (const std::string& name : names)
        result.functions.push_back(
            must(j.lljit->lookup(library, name), "looking a kernel up").toPtr<void*>());
    result.code = owner_of(library);
    return result;
}

}  // namespace

JitResult jit_compile(std::unique_ptr<llvm::LLVMContext> context,
                      std::unique_ptr<llvm::Module> module, const std::vector<std::string>& names,
                      const CodeListener& listener, bool keep_object) {
    jit();
    llvm::SmallVector<char, 0> object = make_object(*module, host_processor(), true, listener);
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

}  // namespace catena::codegen::cpu
