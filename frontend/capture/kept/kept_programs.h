#pragma once

#include <memory>

#include "codegen/compiler.h"

namespace catena::capture {

/// The compiled program for a recording: read from the disk cache if an earlier process has
/// compiled the same program (see program_key), in which case the compiler is not even loaded, else
/// compiled. The cache is not used while an environment variable asks to see a compilation. With
/// CATENA_CHECK_SCHEDULES=1 a program that was read is compiled as well, and an InternalError names
/// what differs. Null if there is neither such a program nor a compiler.
std::shared_ptr<Executable> compile_or_load(const Trace& trace, const CompileOptions& options);

}  // namespace catena::capture
