#pragma once

#include <string>

#include "codegen/compiler.h"

namespace catena::capture {

/// Everything that decides about the program that is compiled for a recording: the recording
/// itself, without addresses and the values of scalars; the definitions of its operations; the
/// options and settings; this processor; what the environment says to Catena; and the builds of the
/// compiler, of Catena, of the program and of every library that may define an operation. Equal
/// keys are the same program. Empty where that cannot be said.
std::string program_key(const Trace& trace, const CompileOptions& options);

}  // namespace catena::capture
