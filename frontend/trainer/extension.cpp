#include "frontend/trainer/extension.h"

#include <typeinfo>

#include "runtime/core/system/class_name.h"

namespace catena {

std::string Extension::default_name() const { return class_name(typeid(*this)); }

AnyTrigger Extension::trigger() const { return {1, "iteration"}; }

}  // namespace catena
