#include "runtime/ops/math/weighted.h"

#include "runtime/graph/op/arithmetic.h"

namespace catena {

// The 0 stands inside of the product: outside, the gradient of p would be 0 * infinity.
Variable weighted(const Operand& p, const Operand& v) {
    return p * where(p == Scalar(0), Scalar(0), v);
}

}  // namespace catena
