#include "runtime/ops/loss/loss.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/loss/reduced.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

const OpDef& op_squared_error =
    elementwise<2>("squared_error")
        .floats()
        .forward([](auto x0, auto x1) {
            auto d = x0 - x1;
            return d * d;
        })
        .gradient<0>([](auto x0, auto x1, auto y, auto gy) { return (x0 - x1) * gy * 2.0; })
        .gradient<1>([](auto x0, auto x1, auto y, auto gy) { return (x1 - x0) * gy * 2.0; })
        .define();

const OpDef& op_absolute_error = elementwise<2>("absolute_error")
                                     .floats()
                                     .forward([](auto x0, auto x1) { return absolute(x0 - x1); })
                                     .gradient<0>([](auto x0, auto x1, auto y, auto gy) {
                                         return select(x0 > x1, gy, select(x0 < x1, -gy, gy * 0.0));
                                     })
                                     .gradient<1>([](auto x0, auto x1, auto y, auto gy) {
                                         return select(x0 > x1, -gy, select(x0 < x1, gy, gy * 0.0));
                                     })
                                     .define();

/// The slope of huber towards x: the difference, held within [-delta, delta].
const auto huber_slope = [](auto x, auto t, auto delta, auto gy) {
    auto a = x - t;
    return select(a > delta, delta, select(a < -delta, -delta, a)) * gy;
};
const OpDef& op_huber_loss =
    elementwise<2, 1>("huber_loss")
        .scalars({"delta"})
        .floats()
        .forward([](auto x, auto t, auto delta) {
            auto a = absolute(x - t);
            return select(a <= delta, a * a * 0.5, delta * (a - delta * 0.5));
        })
        .gradient<0>([](auto x, auto t, auto delta, auto y, auto gy) {
            return huber_slope(x, t, delta, gy);
        })
        .gradient<1>([](auto x, auto t, auto delta, auto y, auto gy) {
            return -huber_slope(x, t, delta, gy);
        })
        .define();

/// The loss of one logit; 0 for label -1. Written so that exp cannot overflow, and an infinite
/// logit on the label's side costs nothing.
const OpDef& op_sigmoid_cross_entropy =
    elementwise<2>("sigmoid_cross_entropy")
        .floats()
        .forward([](auto x, auto t) {
            auto side = as_number(x >= 0.0);
            auto loss = log1p(exp(-absolute(x))) - select(t == side, 0.0, x * (t - side));
            return select(t == -1.0, 0.0, loss);
        })
        .gradient<0>([](auto x, auto t, auto y, auto gy) {
            auto sigmoid = tanh(x * 0.5) * 0.5 + 0.5;
            return select(t == -1.0, 0.0, (sigmoid - t) * gy);
        })
        .define();

void check_same_types(const char* name, const Variable& x0, const Variable& x1) {
    if (!(x0.shape() == x1.shape()))  // error_c1
        fail<ShapeError>("{}: x0 and x1 should have one shape, they have {} and {}", name,
                         to_string(x0.shape()), to_string(x1.shape()));
    if (x0.dtype() != x1.dtype())  // error_c2
        fail<DtypeError>("{}: x0 and x1 should have one dtype, they have {} and {}", name,
                         name_of(x0.dtype()), name_of(x1.dtype()));
}

Variable error_of(const OpDef& op, const char* name, const Operand& narrow0,
                  const Operand& narrow1) {
    LocationScope scope(narrow0.location());
    const Variable x0 = autocast_wide(narrow0), x1 = autocast_wide(narrow1);
    check_same_types(name, x0, x1);
    return call(op, narrow0.location(), {}, {}, x0, x1);
}

Variable mean_error_of(const OpDef& op, const char* name, const Operand& narrow0,
                       const Operand& narrow1) {
    LocationScope scope(narrow0.location());
    const Variable x0 = autocast_wide(narrow0), x1 = autocast_wide(narrow1);
    check_same_types(name, x0, x1);
    return reduced(call(op, narrow0.location(), {}, {}, widened(x0), widened(x1)), "mean",
                   x0.dtype());
}

const FunctionDef& f_squared_error = function(
    "squared_error(x0, x1)", {"x0", "x1"},
    [](const FunctionArguments& a) { return squared_error(a.array("x0"), a.array("x1")); });
const FunctionDef& f_absolute_error = function(
    "absolute_error(x0, x1)", {"x0", "x1"},
    [](const FunctionArguments& a) { return absolute_error(a.array("x0"), a.array("x1")); });
const FunctionDef& f_mean_squared_error = function(
    "mean_squared_error(x0, x1)", {"x0", "x1"},
    [](const FunctionArguments& a) { return mean_squared_error(a.array("x0"), a.array("x1")); });
const FunctionDef& f_mean_absolute_error = function(
    "mean_absolute_error(x0, x1)", {"x0", "x1"},
    [](const FunctionArguments& a) { return mean_absolute_error(a.array("x0"), a.array("x1")); });
const FunctionDef& f_huber_loss =
    function("huber_loss(x, t, delta, reduce='sum_along_second_axis')", {"x", "t"},
             [](const FunctionArguments& a) {
                 return huber_loss(a.array("x"), a.array("t"), a.number("delta"), a.text("reduce"));
             });
const FunctionDef& f_sigmoid_cross_entropy =
    function("sigmoid_cross_entropy(x, t, normalize=True, reduce='mean')", {"x", "t"},
             [](const FunctionArguments& a) {
                 return sigmoid_cross_entropy(a.array("x"), a.array("t"), a.flag("normalize"),
                                              a.text("reduce"));
             });

}  // namespace

Variable squared_error(const Operand& x0, const Operand& x1) {
    return error_of(op_squared_error, "squared_error", x0, x1);
}
Variable absolute_error(const Operand& x0, const Operand& x1) {
    return error_of(op_absolute_error, "absolute_error", x0, x1);
}
Variable mean_squared_error(const Operand& x0, const Operand& x1) {
    return mean_error_of(op_squared_error, "mean_squared_error", x0, x1);
}
Variable mean_absolute_error(const Operand& x0, const Operand& x1) {
    return mean_error_of(op_absolute_error, "mean_absolute_error", x0, x1);
}

Variable huber_loss(const Operand& narrow_x, const Operand& narrow_t, const Scalar& delta,
                    const std::string& reduce) {
    LocationScope scope(narrow_x.location());
    const Variable x = autocast_wide(narrow_x), t = autocast_wide(narrow_t);
    check_same_types("huber_loss", x, t);
    bool along_second = reduce == "sum_along_second_axis";
    check_reduce("huber_loss", reduce, {"sum_along_second_axis", "no"});
    if (along_second && x.rank() < 2)  // huber_loss_c1
        fail<ShapeError>("huber_loss: x should have a second axis to sum along, it is {}",
                         to_string(x.shape()));
    Variable loss = call(op_huber_loss, narrow_x.location(), {}, {delta}, x, t);
    return along_second ? sum(loss, 1) : loss;
}

Variable sigmoid_cross_entropy(const Operand& x, const Operand& t, bool normalize,
                               const std::string& reduce) {
    LocationScope scope(x.location());
    const Variable vx = autocast_wide(x), vt = autocast_wide(t);
    if (!(vx.shape() == vt.shape()))  // sigmoid_cross_entropy_c1
        fail<ShapeError>("sigmoid_cross_entropy: t should have x's shape {}, it has {}",
                         to_string(vx.shape()), to_string(vt.shape()));
    if (!is_float(vx.dtype()))  // sigmoid_cross_entropy_c2
        fail<DtypeError>("sigmoid_cross_entropy: x should be floating point, it is {}",
                         to_string(vx.type()));
    check_reduce("sigmoid_cross_entropy", reduce, {"mean", "no"});
    if (reduce == "no") return call(op_sigmoid_cross_entropy, x.location(), {}, {}, vx, vt);
    const Dtype dtype = promote(vx.dtype(), vt.dtype());
    const Variable total =
        sum(call(op_sigmoid_cross_entropy, x.location(), {}, {}, widened(vx), widened(vt)));
    if (normalize)
        return cast(total / maximum(sum(cast(vt != Scalar(-1), total.dtype())), Scalar(1)), dtype);
    return reduced(total, "mean", dtype, vx.rank() > 0 ? vx.shape()[0] : 1);
}

}  // namespace catena
