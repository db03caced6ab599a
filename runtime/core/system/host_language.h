#pragma once

#include "runtime/core/system/error.h"

namespace catena {

/// Declares that the program is written in another language than C++. Errors and recordings then
/// call `ask` for the running line where no LocationScope knows it, or where one knows only a C++
/// line of the binding.
void set_host_language(AskLocation ask);

}  // namespace catena
