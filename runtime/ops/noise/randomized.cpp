#include "runtime/ops/noise/randomized.h"

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/check_float.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

void check_slopes(const Variable& x, double l, double u) {
    check_float("rrelu", "x", x.type());
    if (!(0 <= l && l < u && u < 1))
        fail<ValueError>("rrelu: l is {} and u {}; 0 <= l < u < 1 is right", l, u);
}

const FunctionDef& f_rrelu =
    function("rrelu(x, l=0.125, u=0.3333333333333333, *, r=None, return_r=False)", {"x", "r"},
             [](const FunctionArguments& a) {
                 const Variable x = a.array("x");
                 Variable r = a.array("r");
                 const double l = a.number("l"), u = a.number("u");
                 if (!r.defined() || !config().train) r = rrelu_slopes(x, l, u);
                 Variables results{rrelu(x, l, u, r)};
                 if (a.flag("return_r")) results.push_back(r);
                 return OneOrMore(std::move(results));
             });
const FunctionDef& f_gumbel_softmax =
    function("gumbel_softmax(log_pi, tau=0.1, axis=1)", {"log_pi"}, [](const FunctionArguments& a) {
        return gumbel_softmax(a.array("log_pi"), a.number("tau"), a.integer("axis"));
    });

}  // namespace

Variable rrelu_slopes(const Operand& x, const Scalar& l, const Scalar& u) {
    LocationScope scope(x.location());
    const Variable& v = x;
    const double low = l.value(), high = u.value();
    check_slopes(v, low, high);
    const DeviceScope beside(v.device());
    if (!config().train) return fill(v.type(), (low + high) / 2);
    return cast(random_uniform(v.shape()) * (high - low) + low, v.dtype());
}

Variable rrelu(const Operand& x, const Scalar& l, const Scalar& u, const Operand& r) {
    LocationScope scope(x.location());
    const Variable &v = x, &slopes = r;
    check_slopes(v, l.value(), u.value());
    if (slopes.type() != v.type())
        fail<ShapeError>("rrelu: r should be {}, as x; it is {}", to_string(v.type()),
                         to_string(slopes.type()));
    return v * where(v >= 0, 1, slopes);
}
Variable rrelu(const Operand& x, const Scalar& l, const Scalar& u) {
    return rrelu(x, l, u, rrelu_slopes(x, l, u));
}

Variable gumbel_softmax(const Operand& log_pi, const Scalar& tau, int64_t axis) {
    LocationScope scope(log_pi.location());
    const Variable& v = log_pi;
    check_float("gumbel_softmax", "log_pi", v.type());
    const DeviceScope beside(v.device());
    const Variable wide = widened(v);
    const Variable draw = cast(random_uniform(v.shape()), wide.dtype()), g = -log(-log(draw));
    return cast(softmax((wide + g) / tau, axis), v.dtype());
}

}  // namespace catena
