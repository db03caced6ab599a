#pragma once

#include <string>

namespace catena::codegen::cpu {

/// `object` linked to a shared library by the system's linker: CATENA_LINKER, or the first of ld,
/// ld.lld, mold and ld.gold in PATH. CompileError with the linker's message, or if there is none.
std::string link_library(const std::string& object);

}  // namespace catena::codegen::cpu
