#pragma once

#include <functional>
#include <memory>
#include <string>

#include "llvm/ADT/SmallVector.h"

#include "codegen/cpu/target.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace catena::codegen {

/// Receives the module as LLVM IR (extension "ll") and as a listing of the machine's code ("s").
using CodeListener = std::function<void(const char* extension, const std::string& text)>;

/// LLVM's description of `target`; CompileError when this LLVM does not know it.
std::unique_ptr<llvm::TargetMachine> make_machine(const Target& target, bool jit);

/// Optimises `module` for the target and compiles it to an object file. Texts are made only for a listener.
llvm::SmallVector<char, 0> make_object(llvm::Module& module, const Target& target, bool jit,
                                       const CodeListener& listener);

}  // namespace catena::codegen
