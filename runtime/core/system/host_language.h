#pragma once

#include "runtime/core/system/error.h"

namespace catena {

/// The program is one of another language, which errors and recordings ask for the line that runs
/// where no LocationScope knows it, or one knows a line of C++ alone: that of a binding.
void set_host_language(AskLocation ask);

}  // namespace catena
