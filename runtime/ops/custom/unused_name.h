#pragma once

#include <string>

namespace catena {

/// `name`, or `name#2` and on where the registry of operations has one of that name.
std::string unused_op_name(const std::string& name);

}  // namespace catena
