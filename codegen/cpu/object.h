#pragma once

#include <functional>
#include <memory>
#include <string>

#include "llvm/ADT/SmallVector.h"

#include "codegen/cpu/processor.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace catena::codegen::cpu {

/// A function that receives the module as LLVM IR (extension "ll") and as a listing of the
/// machine's code ("s").
using CodeListener = std::function<void(const char* extension, const std::string& text)>;

/// LLVM's description of `processor`; CompileError when this LLVM does not know it.
std::unique_ptr<llvm::TargetMachine> make_machine(const Processor& processor, bool jit);

/// Optimises `module` for `processor` and compiles it to an object file. Texts are made only for a
/// listener.
llvm::SmallVector<char, 0> make_object(llvm::Module& module, const Processor& processor, bool jit,
                                       const CodeListener& listener);

}  // namespace catena::codegen::cpu
