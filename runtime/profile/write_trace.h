#pragma once

#include <string>

#include "runtime/profile/ceilings.h"

namespace catena::profile {

/// save_trace(). `ask`: whether the machine may be measured now for the shares of its launches;
/// where a process ends, it may not.
void write_trace(const std::string& path, Ceilings::Ask ask);

}  // namespace catena::profile
