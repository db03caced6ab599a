#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

/// Each element times the one `distance` before it.
Variable times_earlier(const Variable& x, int axis, int64_t distance) {
    const int64_t rest = x.shape()[axis] - distance;
    const Variable product = slice_axis(x, axis, distance, rest) * slice_axis(x, axis, 0, rest);
    return concat({slice_axis(x, axis, 0, distance), product}, axis);
}

const FunctionDef& f_cumprod =
    function("cumprod(x, axis=None)", {"x"}, [](const FunctionArguments& a) {
        if (a.is_none("axis")) return cumprod(a.array("x"));
        return cumprod(a.array("x"), a.integer("axis"));
    });

}  // namespace

// In log2(size) steps (Hillis and Steele 1986): products alone, so that gradients are right where
// elements are 0.
Variable cumprod(const Operand& x, std::optional<int64_t> axis) {
    LocationScope scope(x.location());
    const Variable given = axis ? Variable(x) : flatten(x);
    const int along = normalize_axis("cumprod", axis.value_or(0), given.rank());
    const Dtype result = is_float(given.dtype()) ? given.dtype() : Dtype::int64;
    Variable y = is_float(given.dtype()) ? widened(given) : cast(given, result);
    for (int64_t distance = 1; distance < y.shape()[along]; distance *= 2)
        y = times_earlier(y, along, distance);
    return cast(y, result);
}

}  // namespace catena
