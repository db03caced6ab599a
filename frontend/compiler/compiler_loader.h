#pragma once

#include <string>

#include "codegen/compiler.h"

namespace catena {

/// The compiler; loads libcatena_compiler at the first call. CompileError with the file searched
/// for and the loader's message on failure.
Compiler& compiler();
/// Whether the compiler can be used; loads it at the first call.
bool compiler_available();
/// The message of the error that compiler() would throw.
const std::string& compiler_complaint();
/// Whether the compiler's file is readable and has not failed to load. Loads nothing: programs
/// compiled by earlier processes run without it.
bool compiler_installed();
/// The compiler, if it was loaded already; else null.
Compiler* loaded_compiler();
/// The path of the compiler's file, whether or not it exists.
const std::string& compiler_path();

}  // namespace catena
