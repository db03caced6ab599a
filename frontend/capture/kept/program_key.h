#pragma once

#include <string>

#include "codegen/compiler.h"

namespace catena::capture {

/// A key of everything that decides how a recording is compiled, for the disk cache: the recording
/// itself, without addresses and the values of scalars; the definitions of its operations; options
/// and settings; the processor; environment variables; and the builds of the compiler, of Catena,
/// of the program and of every library that may define an operation. Equal keys mean the same
/// program. Empty where no such key can be made.
std::string program_key(const Trace& trace, const CompileOptions& options);

}  // namespace catena::capture
