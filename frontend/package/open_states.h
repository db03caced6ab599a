#pragma once

#include <span>

#include "frontend/static_graph/call/exported_program.h"

namespace catena {

/// Removes states whose size depends on the open sizes, because a file stores every state in one
/// size. They can be removed if the programs only assign them (a recurrent link's state that begins
/// empty); ValueError naming one that is read.
void leave_out_open_states(std::span<ExportedProgram> programs);

}  // namespace catena
