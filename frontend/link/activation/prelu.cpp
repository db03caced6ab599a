#include "frontend/link/activation/prelu.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/activation/activation.h"

namespace catena {

PReLU::PReLU(const Shape& shape, const Initializer& init) : W(init, shape) { add_param("W", W); }

Variable PReLU::operator()(const Operand& x) {
    LocationScope scope(x.location());
    return called(x, [&] { return prelu(x, W); });
}

}  // namespace catena
