#pragma once

#include "runtime/core/error.h"

namespace catena {

/// The program is one of another language: where no LocationScope says what line runs, errors and
/// recordings ask it.
void set_host_language(AskLocation ask);

}  // namespace catena
