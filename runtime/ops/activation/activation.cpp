#include "runtime/ops/activation/activation.h"

#include <numbers>

#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {

namespace {

/// A function that overflows to 1 / inf = 0 where exp(-x) does, and keeps the digits of small
/// results.
template <class T>
T logistic(const T& x) {
    return 1 / (exp(-x) + 1);
}

constexpr double inv_sqrt_2 = 0.5 * std::numbers::sqrt2;
constexpr double inv_sqrt_2_pi = 0.5 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
/// sqrt(2 / pi) and the cubic coefficient of gelu's tanh form (Hendrycks and Gimpel, 2016).
constexpr double gelu_slope = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
constexpr double gelu_cubic = 0.044715;

// The definitions read as a table, one property a line.
// clang-format off

// Gradients read y where y tells which side x was on: x can then be freed.

const OpDef& op_relu = elementwise<1>("relu")
    .forward([](auto x) { return maximum(x, 0); })
    .gradient([](auto x, auto y, auto gy) { return select(y > 0, gy, 0); })
    .floats().onnx("Relu").define();

const OpDef& op_leaky_relu = elementwise<1, 1>("leaky_relu").scalars({"slope"})
    .forward([](auto x, auto slope) { return select(x >= 0, x, slope * x); })
    .gradient([](auto x, auto slope, auto y, auto gy) { return select(x > 0, gy, slope * gy); })
    .floats().onnx("LeakyRelu(a, alpha=slope)").define();

const OpDef& op_elu = elementwise<1, 1>("elu").scalars({"alpha"})
    .forward([](auto x, auto alpha) { return select(x > 0, x, alpha * expm1(x)); })
    .gradient([](auto x, auto alpha, auto y, auto gy) {
        return select(x > 0, gy, gy * (alpha * exp(x)));
    })
    .floats().onnx("Elu(a, alpha=alpha)").define();

const OpDef& op_gelu = elementwise<1>("gelu")
    .forward([](auto x) { return x * (erfc(x * -inv_sqrt_2) * 0.5); })
    .gradient([](auto x, auto y, auto gy) {
        auto cdf = erfc(x * -inv_sqrt_2) * 0.5;
        auto pdf = exp(x * x * -0.5) * inv_sqrt_2_pi;
        return gy * (cdf + x * pdf);
    })
    .floats().onnx({"Gelu", 20}).define();

const OpDef& op_gelu_tanh = elementwise<1>("gelu_tanh")
    .forward([](auto x) {
        auto t = tanh((x + x * x * x * gelu_cubic) * gelu_slope);
        return x * (t * 0.5 + 0.5);
    })
    .gradient([](auto x, auto y, auto gy) {
        auto t = tanh((x + x * x * x * gelu_cubic) * gelu_slope);
        auto dt = (1 - t * t) * ((x * x * (3 * gelu_cubic) + 1) * gelu_slope);
        return gy * (t * 0.5 + 0.5 + x * dt * 0.5);
    })
    .floats().onnx({"Gelu(a, approximate='tanh')", 20}).define();

const OpDef& op_sigmoid = elementwise<1>("sigmoid")
    .forward([](auto x) { return logistic(x); })
    .gradient([](auto x, auto y, auto gy) { return gy * (y * (1 - y)); })
    .floats().onnx("Sigmoid").define();

const OpDef& op_silu = elementwise<1>("silu")
    .forward([](auto x) { return x * logistic(x); })
    .gradient([](auto x, auto y, auto gy) {
        auto s = logistic(x);
        return gy * (s + x * s * (1 - s));
    })
    .floats().onnx("Mul(a, Sigmoid(a))").define();

const OpDef& op_swish = elementwise<2>("swish")
    .forward([](auto x, auto beta) { return x * logistic(beta * x); })
    .gradient<0>([](auto x, auto beta, auto y, auto gy) {
        auto s = logistic(beta * x);
        return gy * (s + beta * x * s * (1 - s));
    })
    .gradient<1>([](auto x, auto beta, auto y, auto gy) {
        auto s = logistic(beta * x);
        return gy * (x * x * s * (1 - s));
    })
    .floats().onnx("Mul(a, Sigmoid(Mul(b, a)))").define();

const OpDef& op_softplus = elementwise<1, 1>("softplus").scalars({"beta"})
    .forward([](auto x, auto beta) {
        auto bx = beta * x;
        return (maximum(bx, 0) + log1p(exp(-absolute(bx)))) / beta;
    })
    .gradient([](auto x, auto beta, auto y, auto gy) { return gy * logistic(beta * x); })
    .floats().onnx("Div(Softplus(Mul(a, beta)), beta)").define();

const OpDef& op_clipped_relu = elementwise<1, 1>("clipped_relu").scalars({"z"})
    .forward([](auto x, auto z) { return minimum(maximum(x, 0), z); })
    .gradient([](auto x, auto z, auto y, auto gy) { return select(y > 0 && y < z, gy, 0); })
    .floats().onnx("Clip(a, 0, z)").define();

const OpDef& op_hard_sigmoid = elementwise<1>("hard_sigmoid")
    .forward([](auto x) { return minimum(maximum(x * 0.2 + 0.5, 0), 1); })
    .gradient([](auto x, auto y, auto gy) { return select(y > 0 && y < 1, gy * 0.2, 0); })
    .floats().onnx("HardSigmoid").define();

const OpDef& op_clip = elementwise<1, 2>("clip").scalars({"x_min", "x_max"})
    .forward([](auto x, auto low, auto high) { return minimum(maximum(x, low), high); })
    .gradient([](auto x, auto low, auto high, auto y, auto gy) {
        return select(x >= low && x <= high, gy, 0);
    })
    .onnx("Clip(a, x_min, x_max)").define();

const OpDef& op_prelu = elementwise<2>("prelu")
    .forward([](auto x, auto w) { return select(x >= 0, x, w * x); })
    .gradient<0>([](auto x, auto w, auto y, auto gy) { return select(x >= 0, gy, w * gy); })
    .gradient<1>([](auto x, auto w, auto y, auto gy) { return select(x >= 0, 0, x * gy); })
    .floats().onnx("PRelu").define();

// clang-format on

// prelu_c1: parameters have the sizes of x's axes 1, 2, ... as far as they go
Variable beside_batch(const char* op, const Variable& parameter, const Variable& x) {
    const Shape& w = parameter.shape();
    Shape shape = Shape::filled(x.rank(), 1);
    for (int i = 0; i < w.rank(); ++i) {
        if (i + 1 >= x.rank() || w[i] != x.shape()[i + 1])
            fail<ShapeError>(
                "{}: the parameter {} must have the leading sizes of x {} without its batch axis",
                op, to_string(w), to_string(x.shape()));
        shape[i + 1] = w[i];
    }
    return reshape(parameter, shape);
}

}  // namespace

Variable relu(const Operand& x) { return call(op_relu, x.location(), {}, {}, x); }
static const FunctionDef& f_relu =
    function("relu(x)", {"x"}, [](const FunctionArguments& a) { return relu(a.array("x")); });

Variable functions::LeakyRelu::operator()(const Operand& x, const Scalar& slope) const {
    return call(op_leaky_relu, x.location(), {}, {slope}, x);
}
static const FunctionDef& f_leaky_relu = function(
    "leaky_relu(x, slope=0.2)", {"x"},
    [](const FunctionArguments& a) { return leaky_relu(a.array("x"), a.number("slope")); });

Variable functions::Elu::operator()(const Operand& x, const Scalar& alpha) const {
    return call(op_elu, x.location(), {}, {alpha}, x);
}
static const FunctionDef& f_elu =
    function("elu(x, alpha=1.0)", {"x"},
             [](const FunctionArguments& a) { return elu(a.array("x"), a.number("alpha")); });

Variable functions::Selu::operator()(const Operand& x, double alpha, double scale) const {
    LocationScope scope(x.location());
    return elu(x, alpha) * scale;
}
static const FunctionDef& f_selu =
    function("selu(x, alpha=1.6732632423543772, scale=1.0507009873554805)", {"x"},
             [](const FunctionArguments& a) {
                 return selu(a.array("x"), a.number("alpha"), a.number("scale"));
             });

Variable functions::Gelu::operator()(const Operand& x, std::string_view approximate) const {
    if (approximate == "none") return call(op_gelu, x.location(), {}, {}, x);
    if (approximate == "tanh") return call(op_gelu_tanh, x.location(), {}, {}, x);
    LocationScope scope(x.location());
    fail<ValueError>("gelu: approximate '{}' is neither 'none' nor 'tanh'", approximate);
}
static const FunctionDef& f_gelu =
    function("gelu(x, approximate='none')", {"x"},
             [](const FunctionArguments& a) { return gelu(a.array("x"), a.text("approximate")); });

Variable sigmoid(const Operand& x) { return call(op_sigmoid, x.location(), {}, {}, x); }
static const FunctionDef& f_sigmoid =
    function("sigmoid(x)", {"x"}, [](const FunctionArguments& a) { return sigmoid(a.array("x")); });

Variable silu(const Operand& x) { return call(op_silu, x.location(), {}, {}, x); }
static const FunctionDef& f_silu =
    function("silu(x)", {"x"}, [](const FunctionArguments& a) { return silu(a.array("x")); });

Variable swish(const Operand& x, const Operand& beta) {
    LocationScope scope(x.location());
    return call(op_swish, x.location(), {}, {}, x, beside_batch("swish", beta, x));
}
static const FunctionDef& f_swish =
    function("swish(x, beta)", {"x", "beta"},
             [](const FunctionArguments& a) { return swish(a.array("x"), a.array("beta")); });

Variable functions::Softplus::operator()(const Operand& x, const Scalar& beta) const {
    return call(op_softplus, x.location(), {}, {beta}, x);
}
static const FunctionDef& f_softplus =
    function("softplus(x, beta=1.0)", {"x"},
             [](const FunctionArguments& a) { return softplus(a.array("x"), a.number("beta")); });

Variable functions::ClippedRelu::operator()(const Operand& x, double z) const {
    if (!(z > 0)) {
        LocationScope scope(x.location());
        fail<ValueError>("clipped_relu: z is {}, it must be greater than 0", z);
    }
    return call(op_clipped_relu, x.location(), {}, {z}, x);
}
static const FunctionDef& f_clipped_relu =
    function("clipped_relu(x, z=20.0)", {"x"},
             [](const FunctionArguments& a) { return clipped_relu(a.array("x"), a.number("z")); });

Variable relu6(const Operand& x) { return call(op_clipped_relu, x.location(), {}, {6}, x); }
static const FunctionDef& f_relu6 =
    function("relu6(x)", {"x"}, [](const FunctionArguments& a) { return relu6(a.array("x")); });

Variable hard_sigmoid(const Operand& x) { return call(op_hard_sigmoid, x.location(), {}, {}, x); }
static const FunctionDef& f_hard_sigmoid =
    function("hard_sigmoid(x)", {"x"},
             [](const FunctionArguments& a) { return hard_sigmoid(a.array("x")); });

Variable clip(const Operand& x, const std::optional<Scalar>& x_min,
              const std::optional<Scalar>& x_max) {
    LocationScope scope(x.location());
    if (x_min && x_max) {
        if (x_min->value() > x_max->value())
            fail<ValueError>("clip: x_min {} is greater than x_max {}", x_min->value(),
                             x_max->value());
        return call_lifted(op_clip, x, {*x_min, *x_max});
    }
    if (x_min) return maximum(x, *x_min);
    if (x_max) return minimum(x, *x_max);
    return x;
}
static const FunctionDef& f_clip =
    function("clip(x, x_min, x_max)", {"x"}, [](const FunctionArguments& a) {
        const auto bound = [&](const char* name) {
            return a.is_none(name) ? std::optional<Scalar>()
                                   : std::optional<Scalar>(a.scalar(name));
        };
        return clip(a.array("x"), bound("x_min"), bound("x_max"));
    });

Variable prelu(const Operand& x, const Operand& W) {
    LocationScope scope(x.location());
    return call(op_prelu, x.location(), {}, {}, x, beside_batch("prelu", W, x));
}
static const FunctionDef& f_prelu =
    function("prelu(x, W)", {"x", "W"},
             [](const FunctionArguments& a) { return prelu(a.array("x"), a.array("W")); });

Variable functions::Crelu::operator()(const Operand& x, int64_t axis) const {
    LocationScope scope(x.location());
    return concat({relu(x), relu(-x)}, axis);
}
static const FunctionDef& f_crelu =
    function("crelu(x, axis=1)", {"x"},
             [](const FunctionArguments& a) { return crelu(a.array("x"), a.integer("axis")); });

// maxout_c1: pool_size divides the axis
Variable maxout(const Operand& x, int64_t pool_size, int64_t axis) {
    LocationScope scope(x.location());
    Shape shape = x.variable().shape();
    const int along = normalize_axis("maxout", axis, shape.rank());
    if (pool_size < 1 || shape[along] % pool_size != 0)
        fail<ShapeError>("maxout: axis {} of x {} has size {}, which pool_size {} does not divide",
                         along, to_string(shape), shape[along], pool_size);
    shape[along] /= pool_size;
    shape.insert(along + 1, pool_size);
    return max(reshape(x, shape), along + 1);
}
static const FunctionDef& f_maxout =
    function("maxout(x, pool_size, axis=1)", {"x"}, [](const FunctionArguments& a) {
        return maxout(a.array("x"), a.integer("pool_size"), a.integer("axis"));
    });

}  // namespace catena
