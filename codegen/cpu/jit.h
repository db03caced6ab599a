#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/cpu/object.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace catena::codegen::cpu {

/// A compiled module.
struct JitResult {
    std::vector<void*> functions;  ///< The functions, in the order of the requested names.
    std::string object;            ///< The object file, if requested from jit_compile().
    size_t code_bytes = 0;         ///< Size of the object file.
    std::shared_ptr<void> code;    ///< The owner of the functions' code.
};

/// Optimises, compiles and links `module` into this process. CompileError with LLVM's message on
/// failure. Texts are made only for a listener.
JitResult jit_compile(std::unique_ptr<llvm::LLVMContext> context,
                      std::unique_ptr<llvm::Module> module, const std::vector<std::string>& names,
                      const CodeListener& listener, bool keep_object = false);
/// Links an object file from jit_compile(), possibly of another process.
JitResult jit_load(const std::string& object, const std::vector<std::string>& names);

}  // namespace catena::codegen::cpu
