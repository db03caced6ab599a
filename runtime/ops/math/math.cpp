#include "runtime/ops/math/math.h"

#include <numbers>

#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {

namespace {

constexpr double ln_2 = std::numbers::ln2;
constexpr double ln_10 = std::numbers::ln10;
constexpr double two_over_sqrt_pi = 2 * std::numbers::inv_sqrtpi;

// Of large x the exponential of half of it is squared: that of x overflows before its half does.
constexpr double large = 80;

/// A function computed from expm1, so that small x keep their digits.
template <class T>
T hyperbolic_sine(const T& x) {
    const T size = absolute(x), is_large = size > large;
    const T e = expm1(select(is_large, size * 0.5, size));
    const T y = select(is_large, (e + 1) * 0.5 * (e + 1), e * (0.5 / (e + 1) + 0.5));
    return select(x < 0, -y, y);
}
template <class T>
T hyperbolic_cosine(const T& x) {
    const T size = absolute(x), is_large = size > large;
    const T e = exp(select(is_large, size * 0.5, size));
    return select(is_large, e * 0.5 * e, e * 0.5 + 0.5 / e);
}

// The definitions read as a table, one property a line.
// clang-format off

// Exponentials and logarithms

/// exp(x) - 1 where that keeps the digits, elsewhere 2 t / (1 - t) with t = tanh(x / 2).
std::vector<int> write_expm1(OnnxCall& c) {
    OnnxGraph& g = c.graph;
    const Dtype dtype = compute_dtype(c.inputs[0].dtype);
    const int x = c.input(0, dtype), one = g.number(1, dtype), t = g.node("Tanh", {g.node("Mul", {x, g.number(0.5, dtype)})});
    const int near_0 = g.node("Div", {g.node("Add", {t, t}), g.node("Sub", {one, t})});
    const int elsewhere = g.node("Sub", {g.node("Exp", {x}), one});
    return {g.cast(g.node("Where", {g.node("Less", {g.node("Abs", {x}), one}), near_0, elsewhere}), dtype, c.result())};
}

/// What the rounding of u = 1 + x takes from log(u), the factor x / (u - 1) gives back (Kahan); of large x and infinity it is 1.
std::vector<int> write_log1p(OnnxCall& c) {
    OnnxGraph& g = c.graph;
    const Dtype dtype = compute_dtype(c.inputs[0].dtype);
    const int x = c.input(0, dtype), one = g.number(1, dtype), u = g.node("Add", {x, one});
    const int quotient = g.node("Div", {x, g.node("Sub", {u, one})});
    const int factor = g.node("Where", {g.node("Equal", {u, x}), one, quotient});
    const int y = g.node("Where", {g.node("Equal", {u, one}), x, g.node("Mul", {g.node("Log", {u}), factor})});
    return {g.cast(y, dtype, c.result())};
}

const OpDef& op_exp = elementwise<1>("exp")
    .forward([](auto x) { return exp(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * y; })
    .floats().onnx("Exp").define();

const OpDef& op_expm1 = elementwise<1>("expm1")
    .forward([](auto x) { return expm1(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * (y + 1); })
    .floats().onnx(write_expm1).define();

const OpDef& op_log = elementwise<1>("log")
    .forward([](auto x) { return log(x); })
    .gradient([](auto x, auto y, auto gy) { return gy / x; })
    .floats().onnx("Log").define();

const OpDef& op_log1p = elementwise<1>("log1p")
    .forward([](auto x) { return log1p(x); })
    .gradient([](auto x, auto y, auto gy) { return gy / (x + 1); })
    .floats().onnx(write_log1p).define();

const OpDef& op_log2 = elementwise<1>("log2")
    .forward([](auto x) { return log(x) * (1 / ln_2); })
    .gradient([](auto x, auto y, auto gy) { return gy / (x * ln_2); })
    .floats().define();

const OpDef& op_log10 = elementwise<1>("log10")
    .forward([](auto x) { return log(x) * (1 / ln_10); })
    .gradient([](auto x, auto y, auto gy) { return gy / (x * ln_10); })
    .floats().define();

// Powers

const OpDef& op_sqrt = elementwise<1>("sqrt")
    .forward([](auto x) { return sqrt(x); })
    .gradient([](auto x, auto y, auto gy) { return gy / (y * 2); })
    .floats().onnx("Sqrt").define();

const OpDef& op_rsqrt = elementwise<1>("rsqrt")
    .forward([](auto x) { return rsqrt(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * (y * y * y) * -0.5; })
    .floats().define();

const OpDef& op_square = elementwise<1>("square")
    .forward([](auto x) { return x * x; })
    .gradient([](auto x, auto y, auto gy) { return gy * (x * 2); })
    .define();

const OpDef& op_reciprocal = elementwise<1>("reciprocal")
    .forward([](auto x) { return 1 / x; })
    .gradient([](auto x, auto y, auto gy) { return -gy * (y * y); })
    .floats().onnx("Reciprocal").define();

// Signs and rounding

const OpDef& op_absolute = elementwise<1>("absolute")
    .forward([](auto x) { return absolute(x); })
    // 0 at 0, and NaN at NaN.
    .gradient([](auto x, auto y, auto gy) { return gy * select(x > 0, 1, select(x < 0, -1, x)); })
    .onnx("Abs").define();

const OpDef& op_sign = elementwise<1>("sign")
    .forward([](auto x) { return select(x > 0, 1, select(x < 0, -1, x)); })
    .onnx("Sign").define();

const OpDef& op_floor = elementwise<1>("floor")
    .forward([](auto x) { return floor(x); })
    .floats().onnx("Floor").define();

const OpDef& op_ceil = elementwise<1>("ceil")
    .forward([](auto x) { return ceil(x); })
    .floats().onnx("Ceil").define();

const OpDef& op_trunc = elementwise<1>("trunc")
    .forward([](auto x) { return trunc(x); })
    .floats().define();

// Trigonometry

const OpDef& op_sin = elementwise<1>("sin")
    .forward([](auto x) { return sin(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * cos(x); })
    .floats().onnx("Sin").define();

const OpDef& op_cos = elementwise<1>("cos")
    .forward([](auto x) { return cos(x); })
    .gradient([](auto x, auto y, auto gy) { return -gy * sin(x); })
    .floats().onnx("Cos").define();

const OpDef& op_tan = elementwise<1>("tan")
    .forward([](auto x) { return sin(x) / cos(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * (y * y + 1); })
    .floats().onnx("Tan").define();

const OpDef& op_sinh = elementwise<1>("sinh")
    .forward([](auto x) { return hyperbolic_sine(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * hyperbolic_cosine(x); })
    .floats().onnx("Sinh").define();

const OpDef& op_cosh = elementwise<1>("cosh")
    .forward([](auto x) { return hyperbolic_cosine(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * hyperbolic_sine(x); })
    .floats().onnx("Cosh").define();

const OpDef& op_tanh = elementwise<1>("tanh")
    .forward([](auto x) { return tanh(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * (1 - y * y); })
    .floats().onnx("Tanh").define();

// Error functions

const OpDef& op_erf = elementwise<1>("erf")
    .forward([](auto x) { return erf(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * (exp(-(x * x)) * two_over_sqrt_pi); })
    .floats().onnx("Erf").define();

const OpDef& op_erfc = elementwise<1>("erfc")
    .forward([](auto x) { return erfc(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * (exp(-(x * x)) * -two_over_sqrt_pi); })
    .floats().define();

// clang-format on

}  // namespace

#define CATENA_BY_NAME(name)                       \
    static const FunctionDef& f_##name = function( \
        #name "(x)", {"x"}, [](const FunctionArguments& a) { return name(a.array("x")); });
#define CATENA_UNARY_FUNCTION(name)                                                      \
    Variable name(const Operand& x) { return call(op_##name, x.location(), {}, {}, x); } \
    CATENA_BY_NAME(name)
CATENA_UNARY_FUNCTION(square)
CATENA_UNARY_FUNCTION(absolute)
CATENA_UNARY_FUNCTION(sign)
#undef CATENA_UNARY_FUNCTION

#define CATENA_FLOAT_FUNCTION(name)                                          \
    Variable name(const Operand& x) { return call_of_floats(op_##name, x); } \
    CATENA_BY_NAME(name)
CATENA_FLOAT_FUNCTION(exp)
CATENA_FLOAT_FUNCTION(expm1)
CATENA_FLOAT_FUNCTION(log)
CATENA_FLOAT_FUNCTION(log1p)
CATENA_FLOAT_FUNCTION(log2)
CATENA_FLOAT_FUNCTION(log10)
CATENA_FLOAT_FUNCTION(sqrt)
CATENA_FLOAT_FUNCTION(rsqrt)
CATENA_FLOAT_FUNCTION(reciprocal)
CATENA_FLOAT_FUNCTION(sin)
CATENA_FLOAT_FUNCTION(cos)
CATENA_FLOAT_FUNCTION(tan)
CATENA_FLOAT_FUNCTION(sinh)
CATENA_FLOAT_FUNCTION(cosh)
CATENA_FLOAT_FUNCTION(tanh)
CATENA_FLOAT_FUNCTION(erf)
CATENA_FLOAT_FUNCTION(erfc)
#undef CATENA_FLOAT_FUNCTION

// Integers and bools are whole already.
#define CATENA_ROUNDING_FUNCTION(name)                   \
    Variable name(const Operand& x) {                    \
        if (are_whole(x, x)) return x;                   \
        return call(op_##name, x.location(), {}, {}, x); \
    }                                                    \
    CATENA_BY_NAME(name)
CATENA_ROUNDING_FUNCTION(floor)
CATENA_ROUNDING_FUNCTION(ceil)
CATENA_ROUNDING_FUNCTION(trunc)
#undef CATENA_ROUNDING_FUNCTION
#undef CATENA_BY_NAME

Variable fix(const Operand& x) { return trunc(x); }
static const FunctionDef& f_fix =
    function("fix(x)", {"x"}, [](const FunctionArguments& a) { return fix(a.array("x")); });

}  // namespace catena
