#pragma once

#include <string>

#include "codegen/compiler.h"

namespace catena {

/// Loads libcatena_compiler at the first call. CompileError with the file searched for and the
/// loader's message on failure.
Compiler& compiler();
/// Loads it, too.
bool compiler_available();
/// The message of the error that compiler() would throw.
const std::string& compiler_complaint();
/// False where its file cannot be read, or could not be loaded. Loads nothing: programs of earlier
/// processes run without it.
bool compiler_installed();
/// Null as long as nothing has loaded it.
Compiler* loaded_compiler();
/// The file that is loaded, whether or not there is one.
const std::string& compiler_path();

}  // namespace catena
