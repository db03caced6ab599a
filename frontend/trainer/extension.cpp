#include "frontend/trainer/extension.h"

namespace catena {

AnyTrigger Extension::trigger() const { return {1, "iteration"}; }

}  // namespace catena
