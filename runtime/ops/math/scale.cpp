#include "runtime/ops/math/scale.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/define.h"

namespace catena {
namespace {

const OpDef& op_linear_interpolate =
    elementwise<3>("linear_interpolate")
        .floats()
        .forward([](auto p, auto x, auto y) { return p * x + (1.0 - p) * y; })
        .gradient<0>([](auto p, auto x, auto y, auto z, auto gz) { return (x - y) * gz; })
        .gradient<1>([](auto p, auto x, auto y, auto z, auto gz) { return p * gz; })
        .gradient<2>([](auto p, auto x, auto y, auto z, auto gz) { return (1.0 - p) * gz; })
        .define();

/// y with axes of size 1 around its own, which are x's from `axis` on.
Variable placed(const char* op, const Variable& x, const Variable& y, int64_t axis) {
    const int first = y.rank() ? normalize_axis(op, axis, x.rank()) : 0;
    Shape shape = Shape::filled(x.rank(), 1);
    for (int i = 0; i < y.rank(); ++i) {
        if (first + i >= x.rank() || y.shape()[i] != x.shape()[first + i])
            fail<ShapeError>("{}: y {} should have the sizes of x {} from axis {} on", op,
                             to_string(y.shape()), to_string(x.shape()), first);
        shape[first + i] = y.shape()[i];
    }
    return reshape(y, shape);
}

const FunctionDef& f_scale =
    function("scale(x, y, axis=1)", {"x", "y"}, [](const FunctionArguments& a) {
        return scale(a.array("x"), a.array("y"), a.integer("axis"));
    });
const FunctionDef& f_bias = function(
    "bias(x, y, axis=1)", {"x", "y"},
    [](const FunctionArguments& a) { return bias(a.array("x"), a.array("y"), a.integer("axis")); });
const FunctionDef& f_linear_interpolate =
    function("linear_interpolate(p, x, y)", {"p", "x", "y"}, [](const FunctionArguments& a) {
        return linear_interpolate(a.array("p"), a.array("x"), a.array("y"));
    });
/// What it is given: one array, or as many as there are. Chainer's function.
const FunctionDef& f_identity =
    function("identity(*inputs)", {"*inputs"}, [](const FunctionArguments& a) {
        Variables results;
        for (const Variable& x : a.list()) results.push_back(identity(x));
        return OneOrMore(std::move(results));
    });

}  // namespace

Variable scale(const Operand& x, const Operand& y, int64_t axis) {
    LocationScope scope(x.location());
    return x * placed("scale", x, y, axis);
}
Variable bias(const Operand& x, const Operand& y, int64_t axis) {
    LocationScope scope(x.location());
    return x + placed("bias", x, y, axis);
}
Variable linear_interpolate(const Operand& p, const Operand& x, const Operand& y) {
    return call(op_linear_interpolate, p.location(), {}, {}, p, x, y);
}
Variable identity(const Operand& x) { return x; }

}  // namespace catena
