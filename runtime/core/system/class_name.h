#pragma once

#include <string>
#include <typeinfo>

namespace catena {

/// The name of a C++ class without namespaces, "Linear".
std::string class_name(const std::type_info& type);

}  // namespace catena
