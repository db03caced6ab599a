#pragma once

#include <string>

namespace catena {

/// A name for a new op: `name`, or `name#2` and so on where the registry has one of that name.
std::string unused_op_name(const std::string& name);

}  // namespace catena
