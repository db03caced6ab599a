#include "runtime/ops/math/special.h"

#include <numbers>

#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/scalar/special.h"

namespace catena {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double sqrt_pi = 1 / std::numbers::inv_sqrtpi;
constexpr double sqrt_2 = std::numbers::sqrt2;

/// The derivative of sinc, by its series where the closed form cancels.
template <class T>
T sinc_slope(const T& x, const T& y) {
    const T angle = x * pi, square = angle * angle;
    const T series =
        angle * (-1.0 / 3 +
                 square * (1.0 / 30 + square * (-1.0 / 840 + square * (1.0 / 45360 -
                                                                       square * (1.0 / 3991680)))));
    return select(absolute(x) < 0.1, series * pi, (cos(angle) - y) / select(x == 0, 1, x));
}

/// The density over the integral: by erfcx below 0, where both underflow.
template <class T>
T log_ndtr_slope(const T& x, const T& y) {
    const T below = (sqrt_2 / sqrt_pi) / erfcx(minimum(x, 0) * (-1 / sqrt_2));
    return select(x < 0, below, exp(-(x * x) * 0.5 - y) * (1 / (sqrt_2 * sqrt_pi)));
}

// clang-format off

const OpDef& op_arcsin = elementwise<1>("arcsin")
    .forward([](auto x) { return arcsin(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * rsqrt(1 - x * x); })
    .floats().onnx("Asin").define();

const OpDef& op_arccos = elementwise<1>("arccos")
    .forward([](auto x) { return arccos(x); })
    .gradient([](auto x, auto y, auto gy) { return -gy * rsqrt(1 - x * x); })
    .floats().onnx("Acos").define();

const OpDef& op_arctan = elementwise<1>("arctan")
    .forward([](auto x) { return arctan(x); })
    .gradient([](auto x, auto y, auto gy) { return gy / (x * x + 1); })
    .floats().onnx("Atan").define();

const OpDef& op_arctan2 = elementwise<2>("arctan2")
    .forward([](auto a, auto b) { return arctan2(a, b); })
    .gradient<0>([](auto a, auto b, auto y, auto gy) { return gy * b / (a * a + b * b); })
    .gradient<1>([](auto a, auto b, auto y, auto gy) { return -gy * a / (a * a + b * b); })
    .floats().define();

const OpDef& op_hypot = elementwise<2>("hypot")
    .forward([](auto a, auto b) { return hypot(a, b); })
    .gradient<0>([](auto a, auto b, auto y, auto gy) { return gy * select(y == 0, 0, a / y); })
    .gradient<1>([](auto a, auto b, auto y, auto gy) { return gy * select(y == 0, 0, b / y); })
    .floats().define();

const OpDef& op_arcsinh = elementwise<1>("arcsinh")
    .forward([](auto x) { return arcsinh(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * rsqrt(x * x + 1); })
    .floats().onnx("Asinh").define();

const OpDef& op_arccosh = elementwise<1>("arccosh")
    .forward([](auto x) { return arccosh(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * rsqrt(x - 1) * rsqrt(x + 1); })
    .floats().onnx("Acosh").define();

const OpDef& op_arctanh = elementwise<1>("arctanh")
    .forward([](auto x) { return arctanh(x); })
    .gradient([](auto x, auto y, auto gy) { return gy / (1 - x * x); })
    .floats().onnx("Atanh").define();

const OpDef& op_sinc = elementwise<1>("sinc")
    .forward([](auto x) { return sinc(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * sinc_slope(x, y); })
    .floats().define();

const OpDef& op_exp2 = elementwise<1>("exp2")
    .forward([](auto x) { return pow(2, x); })
    .gradient([](auto x, auto y, auto gy) { return gy * y * std::numbers::ln2; })
    .floats().define();

const OpDef& op_erfcx = elementwise<1>("erfcx")
    .forward([](auto x) { return erfcx(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * (x * y * 2 - 2 / sqrt_pi); })
    .floats().define();

const OpDef& op_erfinv = elementwise<1>("erfinv")
    .forward([](auto x) { return erfinv(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * (exp(y * y) * (sqrt_pi / 2)); })
    .floats().define();

const OpDef& op_erfcinv = elementwise<1>("erfcinv")
    .forward([](auto x) { return erfcinv(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * (exp(y * y) * (sqrt_pi / -2)); })
    .floats().define();

const OpDef& op_ndtr = elementwise<1>("ndtr")
    .forward([](auto x) { return ndtr(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * (exp(x * x * -0.5) * (1 / (sqrt_2 * sqrt_pi))); })
    .floats().define();

const OpDef& op_log_ndtr = elementwise<1>("log_ndtr")
    .forward([](auto x) { return log_ndtr(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * log_ndtr_slope(x, y); })
    .floats().define();

const OpDef& op_ndtri = elementwise<1>("ndtri")
    .forward([](auto x) { return ndtri(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * (exp(y * y * 0.5) * (sqrt_2 * sqrt_pi)); })
    .floats().define();

const OpDef& op_lgamma = elementwise<1>("lgamma")
    .forward([](auto x) { return lgamma(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * digamma(x); })
    .floats().define();

const OpDef& op_digamma = elementwise<1>("digamma")
    .forward([](auto x) { return digamma(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * polygamma(1, x); })
    .floats().define();

const OpDef& op_polygamma = elementwise<2>("polygamma")
    .forward([](auto n, auto x) { return polygamma(n, x); })
    .gradient<1>([](auto n, auto x, auto y, auto gy) { return gy * polygamma(n + 1, x); })
    .floats().define();

const OpDef& op_zeta = elementwise<2>("zeta")
    .forward([](auto x, auto q) { return zeta(x, q); })
    .gradient<1>([](auto x, auto q, auto y, auto gy) { return -gy * x * zeta(x + 1, q); })
    .floats().define();

// clang-format on

}  // namespace

#define CATENA_UNARY_FUNCTION(name)                                          \
    Variable name(const Operand& x) { return call_of_floats(op_##name, x); } \
    static const FunctionDef& f_##name = function(                           \
        #name "(x)", {"x"}, [](const FunctionArguments& a) { return name(a.array("x")); });
CATENA_UNARY_FUNCTION(arcsin)
CATENA_UNARY_FUNCTION(arccos)
CATENA_UNARY_FUNCTION(arctan)
CATENA_UNARY_FUNCTION(arcsinh)
CATENA_UNARY_FUNCTION(arccosh)
CATENA_UNARY_FUNCTION(arctanh)
CATENA_UNARY_FUNCTION(sinc)
CATENA_UNARY_FUNCTION(exp2)
CATENA_UNARY_FUNCTION(erfcx)
CATENA_UNARY_FUNCTION(erfinv)
CATENA_UNARY_FUNCTION(erfcinv)
CATENA_UNARY_FUNCTION(ndtr)
CATENA_UNARY_FUNCTION(log_ndtr)
CATENA_UNARY_FUNCTION(ndtri)
CATENA_UNARY_FUNCTION(lgamma)
CATENA_UNARY_FUNCTION(digamma)
#undef CATENA_UNARY_FUNCTION

Variable arctan2(const Operand& x1, const Operand& x2) {
    if (!are_whole(x1, x2)) return call(op_arctan2, x1.location(), {}, {}, x1, x2);
    return call(op_arctan2, x1.location(), {}, {}, as_floats(x1), as_floats(x2));
}
Variable hypot(const Operand& x1, const Operand& x2) {
    if (!are_whole(x1, x2)) return call(op_hypot, x1.location(), {}, {}, x1, x2);
    return call(op_hypot, x1.location(), {}, {}, as_floats(x1), as_floats(x2));
}
static const FunctionDef& f_hypot =
    function("hypot(x1, x2)", {"x1", "x2"},
             [](const FunctionArguments& a) { return hypot(a.array("x1"), a.array("x2")); });
static const FunctionDef& f_arctan2 =
    function("arctan2(x1, x2)", {"x1", "x2"},
             [](const FunctionArguments& a) { return arctan2(a.array("x1"), a.array("x2")); });

namespace {
/// The order or exponent `n` in the type of x; a float of its own kind would only promote x.
Variable with_order(const OpDef& op, const Variable& n, const Variable& x, const SourceLoc& at) {
    const Variable floats = as_floats(x);
    return call(op, at, {}, {}, cast(n, floats.dtype()), floats);
}
}  // namespace

Variable polygamma(const Operand& n, const Operand& x) {
    return with_order(op_polygamma, n, x, x.location());
}
Variable polygamma(int64_t n, const Operand& x) {
    const Variable& at = x;
    return polygamma(fill({.dtype = at.dtype(), .shape = {}}, n), x);
}
static const FunctionDef& f_polygamma =
    function("polygamma(n, x)", {"n", "x"},
             [](const FunctionArguments& a) { return polygamma(a.array("n"), a.array("x")); });

Variable zeta(const Operand& x, const Operand& q) {
    return with_order(op_zeta, x, q, q.location());
}
static const FunctionDef& f_zeta =
    function("zeta(x, q)", {"x", "q"},
             [](const FunctionArguments& a) { return zeta(a.array("x"), a.array("q")); });

}  // namespace catena
