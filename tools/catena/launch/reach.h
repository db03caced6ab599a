#pragma once

#include <string>
#include <vector>

#include "tools/catena/launch/hosts.h"

namespace catena::tool {

/// Those of the hosts on which the command `ssh` runs another one, asked all at once, within
/// `seconds`. This machine is always there.
std::vector<Host> reachable(const std::vector<Host>& hosts, const std::vector<std::string>& ssh,
                            double seconds);

}  // namespace catena::tool
