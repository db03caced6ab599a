#include "runtime/ops/math/reduction/norm.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/check_float.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

const OpDef& op_length =
    elementwise<1>("length_of")
        .floats()
        .forward([](auto squares) { return sqrt(squares); })
        .gradient([](auto squares, auto y, auto gy) {
            auto divisor = select(y == 0.0, y * 0.0 + 1.0, y);  // Its derivative at 0 is 0, too.
            return select(y == 0.0, gy * 0.0, gy * 0.5 / divisor);
        })
        .onnx("Sqrt(a)")
        .define();

const FunctionDef& f_batch_l2_norm_squared =
    function("batch_l2_norm_squared(x)", {"x"},
             [](const FunctionArguments& a) { return batch_l2_norm_squared(a.array("x")); });

}  // namespace

Variable length_of(const Variable& squares) {
    return call(op_length, known_location(), {}, {}, squares);
}

Variable batch_l2_norm_squared(const Operand& x) {
    LocationScope scope(x.location());
    const Variable& v = x;
    check_float("batch_l2_norm_squared", "x", v.type());
    if (v.rank() < 2)
        fail<ShapeError>(
            "batch_l2_norm_squared: x should have a second axis to sum along, it is {}",
            to_string(v.shape()));
    Axes axes;
    for (int i = 1; i < v.rank(); ++i) axes.push_back(i);
    return cast(sum(square(widened(v)), axes), v.dtype());
}

}  // namespace catena
