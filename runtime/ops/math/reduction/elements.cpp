// Functions of elements that are compositions of others.
#include <cmath>
#include <limits>

#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/logic.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/math/rounding.h"

namespace catena {
namespace {

double largest_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::float16:
            return 65504;
        case Dtype::bfloat16:
            return 0x1.fep127;
        case Dtype::float32:
            return double(std::numeric_limits<float>::max());
        default:
            return std::numeric_limits<double>::max();
    }
}

}  // namespace

Variable logaddexp(const Operand& a, const Operand& b) {
    const LocationScope scope(a.location());
    const Variable x = as_floats(a), y = as_floats(b);
    const Dtype dtype = promote(x.dtype(), y.dtype());
    const Variables both = broadcast(Variables{cast(x, dtype), cast(y, dtype)});
    return logsumexp(stack(both, 0), 0);
}

Variable nan_to_num(const Operand& x, const NanToNum& options) {
    const LocationScope scope(x.location());
    const Variable& v = x;
    if (!is_float(v.dtype())) return v;
    const double largest = largest_of(v.dtype());
    const Variable numbers = where(isnan(v), options.nan, v);
    const Variable below = where(v == INFINITY, options.posinf.value_or(largest), numbers);
    return where(v == -INFINITY, options.neginf.value_or(-largest), below);
}

Variable round(const Operand& x, int decimals) {
    const LocationScope scope(x.location());
    const Variable& v = x;
    if (!is_float(v.dtype()) && decimals >= 0) return v;
    if (decimals == 0) return nearest_even(v);
    const double power = std::pow(10.0, std::abs(decimals));
    const Variable rounded =
        decimals > 0 ? nearest_even(v * power) / power : nearest_even(as_floats(v) / power) * power;
    return cast(rounded, v.dtype());
}

}  // namespace catena
