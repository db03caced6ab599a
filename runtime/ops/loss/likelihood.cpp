#include "runtime/ops/loss/likelihood.h"

#include <cmath>
#include <numbers>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/loss/reduced.h"

namespace catena {
namespace {

const OpDef& op_bernoulli_nll =
    elementwise<2>("bernoulli_nll")
        .floats()
        .forward([](auto x, auto y) {
            // As sigmoid_cross_entropy: certainty of what is costs nothing.
            auto side = as_number(y >= 0.0);
            return log1p(exp(-absolute(y))) - select(x == side, 0.0, y * (x - side));
        })
        .gradient<0>([](auto x, auto y, auto loss, auto gy) { return -y * gy; })
        .gradient<1>([](auto x, auto y, auto loss, auto gy) {
            auto sigmoid = tanh(y * 0.5) * 0.5 + 0.5;
            return (sigmoid - x) * gy;
        })
        .define();

const double log_two_pi = std::log(2 * std::numbers::pi);
/// The slope of gaussian_nll towards x; 0 at the mean, however small the variance is.
const auto gaussian_slope = [](auto x, auto mean, auto ln_var, auto gy) {
    auto d = x - mean;
    return select(d == 0.0, 0.0, d * exp(-ln_var)) * gy;
};
/// The squared distance in standard deviations.
const auto gaussian_square = [](auto x, auto mean, auto ln_var) {
    auto d = x - mean;
    return select(d == 0.0, 0.0, d * d * exp(-ln_var));
};
const OpDef& op_gaussian_nll =
    elementwise<3>("gaussian_nll")
        .floats()
        .forward([](auto x, auto mean, auto ln_var) {
            return (ln_var + log_two_pi + gaussian_square(x, mean, ln_var)) * 0.5;
        })
        .gradient<0>([](auto x, auto mean, auto ln_var, auto y, auto gy) {
            return gaussian_slope(x, mean, ln_var, gy);
        })
        .gradient<1>([](auto x, auto mean, auto ln_var, auto y, auto gy) {
            return -gaussian_slope(x, mean, ln_var, gy);
        })
        .gradient<2>([](auto x, auto mean, auto ln_var, auto y, auto gy) {
            return (1.0 - gaussian_square(x, mean, ln_var)) * 0.5 * gy;
        })
        .define();

const OpDef& op_gaussian_kl_divergence =
    elementwise<2>("gaussian_kl_divergence")
        .floats()
        .forward([](auto mean, auto ln_var) {
            return (mean * mean + expm1(ln_var) - ln_var) * 0.5;  // expm1: exact near the minimum.
        })
        .gradient<0>([](auto mean, auto ln_var, auto y, auto gy) { return mean * gy; })
        .gradient<1>(
            [](auto mean, auto ln_var, auto y, auto gy) { return expm1(ln_var) * 0.5 * gy; })
        .define();

template <class... Arrays>
Variable loss_of(const OpDef& op, const std::string& reduce, const Operand& first,
                 const Arrays&... rest) {
    LocationScope scope(first.location());
    check_reduce(op.name.c_str(), reduce, {"sum", "mean", "no"});
    if (reduce == "no") return call(op, first.location(), {}, {}, first, rest...);
    Dtype dtype = first.variable().dtype();
    ((dtype = promote(dtype, rest.variable().dtype())), ...);
    return reduced(call(op, first.location(), {}, {}, widened(first), widened(rest)...), reduce,
                   dtype);
}

const FunctionDef& f_bernoulli_nll =
    function("bernoulli_nll(x, y, reduce='sum')", {"x", "y"}, [](const FunctionArguments& a) {
        return bernoulli_nll(a.array("x"), a.array("y"), a.text("reduce"));
    });
const FunctionDef& f_gaussian_nll = function(
    "gaussian_nll(x, mean, ln_var, reduce='sum')", {"x", "mean", "ln_var"},
    [](const FunctionArguments& a) {
        return gaussian_nll(a.array("x"), a.array("mean"), a.array("ln_var"), a.text("reduce"));
    });
const FunctionDef& f_gaussian_kl_divergence = function(
    "gaussian_kl_divergence(mean, ln_var, reduce='sum')", {"mean", "ln_var"},
    [](const FunctionArguments& a) {
        return gaussian_kl_divergence(a.array("mean"), a.array("ln_var"), a.text("reduce"));
    });

}  // namespace

Variable bernoulli_nll(const Operand& x, const Operand& y, const std::string& reduce) {
    return loss_of(op_bernoulli_nll, reduce, x, y);
}
Variable gaussian_nll(const Operand& x, const Operand& mean, const Operand& ln_var,
                      const std::string& reduce) {
    return loss_of(op_gaussian_nll, reduce, x, mean, ln_var);
}
Variable gaussian_kl_divergence(const Operand& mean, const Operand& ln_var,
                                const std::string& reduce) {
    return loss_of(op_gaussian_kl_divergence, reduce, mean, ln_var);
}

}  // namespace catena
