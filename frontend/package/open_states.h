#pragma once

#include <span>

#include "frontend/static_graph/call/exported_program.h"

namespace catena {

/// A file stores every state in one size. Removes states whose size depends on the open sizes, if
/// the programs only assign them (a recurrent link's state that begins empty); ValueError naming
/// one that is read.
void leave_out_open_states(std::span<ExportedProgram> programs);

}  // namespace catena
