#include "frontend/link/deep_copy.h"

#include "runtime/graph/variable/variable_body.h"

namespace catena {

Parameter deep_copy(const Parameter& param, const std::source_location& at) {
    const Variable copied = deep_copy(static_cast<const Variable&>(param), at);
    Parameter made = param;
    if (param.is_initialized()) made.set_array(copied.array());
    made.body()->grad = copied.body()->grad;
    made.body()->grad_consumed = copied.body()->grad_consumed;
    return made;
}

}  // namespace catena
