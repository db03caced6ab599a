#pragma once

#include <memory>

#include "codegen/compiler.h"

namespace catena::capture {

/// compiler().compile(), unless an earlier process has compiled the same program (see program_key):
/// then it is read from the disk cache, and the compiler is not even loaded. Not while a variable
/// asks to see a compilation. With CATENA_CHECK_SCHEDULES=1 what was read is compiled as well, and
/// an InternalError names what differs. Null if there is neither such a program nor a compiler.
std::shared_ptr<Executable> compile_or_load(const Trace& trace, const CompileOptions& options);

}  // namespace catena::capture
