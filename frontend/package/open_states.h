#pragma once

#include <span>

#include "frontend/package/exported_program.h"

namespace catena {

/// A file holds every state in one size. States of one program at several open sizes whose size depends on them, and which the
/// program only gives content (a recurrent link's that begins empty), are left out; ValueError naming one that it reads.
void leave_out_open_states(std::span<ExportedProgram> programs);

}  // namespace catena
