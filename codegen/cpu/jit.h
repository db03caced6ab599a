#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "codegen/cpu/target.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace catena::codegen {

/// What became of a module.
struct JitResult {
    std::vector<void*> functions;  ///< In the order of the names asked for.
    std::string object;            ///< The object file, when jit_compile() was asked to keep it.
    size_t code_bytes = 0;         ///< Size of the object file.
    std::shared_ptr<void> code;    ///< The functions are there as long as this is.
};

/// Receives the module as LLVM IR (extension "ll") and as a listing of the machine's code ("s").
using JitListener = std::function<void(const char* extension, const std::string& text)>;

/// Optimises, compiles and links `module` into this process. CompileError with LLVM's words on
/// failure. Texts are made only for a listener.
JitResult jit_compile(std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module,
                      const std::vector<std::string>& names, const JitListener& listener,
                      bool keep_object = false);
/// Links an object file that jit_compile() has made, in another process maybe.
JitResult jit_load(const std::string& object, const std::vector<std::string>& names);

}  // namespace catena::codegen
