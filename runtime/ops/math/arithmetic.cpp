#include "runtime/graph/op/arithmetic.h"

#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/define/register_map.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

const OpDef& op_add = elementwise<2>("add")
                          .forward([](auto a, auto b) { return a + b; })
                          .gradient<0>([](auto a, auto b, auto y, auto gy) { return gy; })
                          .gradient<1>([](auto a, auto b, auto y, auto gy) { return gy; })
                          .onnx("Add")
                          .define();

const OpDef& op_subtract = elementwise<2>("subtract")
                               .forward([](auto a, auto b) { return a - b; })
                               .gradient<0>([](auto a, auto b, auto y, auto gy) { return gy; })
                               .gradient<1>([](auto a, auto b, auto y, auto gy) { return -gy; })
                               .onnx("Sub")
                               .define();

const OpDef& op_multiply = elementwise<2>("multiply")
                               .forward([](auto a, auto b) { return a * b; })
                               .gradient<0>([](auto a, auto b, auto y, auto gy) { return gy * b; })
                               .gradient<1>([](auto a, auto b, auto y, auto gy) { return gy * a; })
                               .onnx("Mul")
                               .define();

const OpDef& op_divide =
    elementwise<2>("divide")
        .floats()
        .forward([](auto a, auto b) { return a / b; })
        .gradient<0>([](auto a, auto b, auto y, auto gy) { return gy / b; })
        .gradient<1>([](auto a, auto b, auto y, auto gy) { return -gy * y / b; })
        .onnx("Div")
        .define();

const OpDef& op_negative = elementwise<1>("negative")
                               .forward([](auto x) { return -x; })
                               .gradient([](auto x, auto y, auto gy) { return -gy; })
                               .onnx("Neg")
                               .define();

// With a scalar: x op s, and s op x where the order matters.
const OpDef& op_add_scalar = elementwise<1, 1>("add_scalar")
                                 .scalars({"value"})
                                 .forward([](auto x, auto s) { return x + s; })
                                 .gradient([](auto x, auto s, auto y, auto gy) { return gy; })
                                 .define();

const OpDef& op_subtract_scalar = elementwise<1, 1>("subtract_scalar")
                                      .scalars({"value"})
                                      .forward([](auto x, auto s) { return x - s; })
                                      .gradient([](auto x, auto s, auto y, auto gy) { return gy; })
                                      .define();

const OpDef& op_scalar_subtract = elementwise<1, 1>("scalar_subtract")
                                      .scalars({"value"})
                                      .forward([](auto x, auto s) { return s - x; })
                                      .gradient([](auto x, auto s, auto y, auto gy) { return -gy; })
                                      .define();

const OpDef& op_multiply_scalar =
    elementwise<1, 1>("multiply_scalar")
        .scalars({"value"})
        .forward([](auto x, auto s) { return x * s; })
        .gradient([](auto x, auto s, auto y, auto gy) { return gy * s; })
        .define();

const OpDef& op_divide_scalar =
    elementwise<1, 1>("divide_scalar")
        .scalars({"value"})
        .floats()
        .forward([](auto x, auto s) { return x / s; })
        .gradient([](auto x, auto s, auto y, auto gy) { return gy / s; })
        .define();

const OpDef& op_scalar_divide =
    elementwise<1, 1>("scalar_divide")
        .scalars({"value"})
        .floats()
        .forward([](auto x, auto s) { return s / x; })
        .gradient([](auto x, auto s, auto y, auto gy) { return -gy * y / x; })
        .define();

const OpDef& op_fmod =
    elementwise<2>("fmod")
        .forward([](auto a, auto b) { return fmod(a, b); })
        .gradient<0>([](auto a, auto b, auto y, auto gy) { return gy; })
        .gradient<1>([](auto a, auto b, auto y, auto gy) { return gy * -trunc(a / b); })
        .onnx("Mod(a, b, fmod=1)")
        .define();

// At a tie the whole gradient goes to the first.
const OpDef& op_maximum =
    elementwise<2>("maximum")
        .forward([](auto a, auto b) { return maximum(a, b); })
        .gradient<0>([](auto a, auto b, auto y, auto gy) { return select(a >= b, gy, 0); })
        .gradient<1>([](auto a, auto b, auto y, auto gy) { return select(a < b, gy, 0); })
        .onnx("Max")
        .define();

const OpDef& op_minimum =
    elementwise<2>("minimum")
        .forward([](auto a, auto b) { return minimum(a, b); })
        .gradient<0>([](auto a, auto b, auto y, auto gy) { return select(a <= b, gy, 0); })
        .gradient<1>([](auto a, auto b, auto y, auto gy) { return select(a > b, gy, 0); })
        .onnx("Min")
        .define();

const OpDef& op_maximum_scalar =
    elementwise<1, 1>("maximum_scalar")
        .scalars({"value"})
        .forward([](auto x, auto s) { return maximum(x, s); })
        .gradient([](auto x, auto s, auto y, auto gy) { return select(x >= s, gy, 0); })
        .define();

const OpDef& op_minimum_scalar =
    elementwise<1, 1>("minimum_scalar")
        .scalars({"value"})
        .forward([](auto x, auto s) { return minimum(x, s); })
        .gradient([](auto x, auto s, auto y, auto gy) { return select(x <= s, gy, 0); })
        .define();

const OpDef& op_where =
    elementwise<3>("where")
        .forward([](auto c, auto a, auto b) { return select(c, a, b); })
        .gradient<1>([](auto c, auto a, auto b, auto y, auto gy) { return select(c, gy, 0); })
        .gradient<2>([](auto c, auto a, auto b, auto y, auto gy) { return select(c, 0, gy); })
        .onnx("Where(bool(a), b, c)")
        .define();

const OpDef& op_where_else_scalar =
    elementwise<2, 1>("where_else_scalar")
        .scalars({"value"})
        .forward([](auto c, auto a, auto s) { return select(c, a, s); })
        .gradient<1>([](auto c, auto a, auto s, auto y, auto gy) { return select(c, gy, 0); })
        .define();

const OpDef& op_where_then_scalar =
    elementwise<2, 1>("where_then_scalar")
        .scalars({"value"})
        .forward([](auto c, auto b, auto s) { return select(c, s, b); })
        .gradient<1>([](auto c, auto b, auto s, auto y, auto gy) { return select(c, 0, gy); })
        .define();

const OpDef& op_logical_not = elementwise<1>("logical_not")
                                  .gives_bool()
                                  .forward([](auto x) { return x == 0; })
                                  .onnx("Not(bool(a))")
                                  .define();
const OpDef& op_logical_and = elementwise<2>("logical_and")
                                  .gives_bool()
                                  .forward([](auto a, auto b) { return a && b; })
                                  .onnx("And(bool(a), bool(b))")
                                  .define();
const OpDef& op_logical_or = elementwise<2>("logical_or")
                                 .gives_bool()
                                 .forward([](auto a, auto b) { return a || b; })
                                 .onnx("Or(bool(a), bool(b))")
                                 .define();

/// A comparison, between arrays and with a scalar on the right.
struct Comparison {
    const OpDef& arrays;
    const OpDef& scalar;
};
template <class F>
Comparison comparison(const std::string& name, const char* onnx, F f) {
    return {
        elementwise<2>(name).gives_bool().forward(f).onnx(onnx).define(),
        elementwise<1, 1>(name + "_scalar").scalars({"value"}).gives_bool().forward(f).define()};
}
const Comparison equal = comparison("equal", "Equal", [](auto a, auto b) { return a == b; });
const Comparison not_equal = comparison("not_equal", "", [](auto a, auto b) { return a != b; });
const Comparison less = comparison("less", "Less", [](auto a, auto b) { return a < b; });
const Comparison less_equal =
    comparison("less_equal", "LessOrEqual", [](auto a, auto b) { return a <= b; });
const Comparison greater = comparison("greater", "Greater", [](auto a, auto b) { return a > b; });
const Comparison greater_equal =
    comparison("greater_equal", "GreaterOrEqual", [](auto a, auto b) { return a >= b; });

Types cast_type(const TypeCall& c) {
    return {Type{c.attributes.dtype("dtype"), c.inputs[0].shape}};
}
const OpDef& define_cast() {
    OpDef op;
    op.name = "cast";
    op.kind = Kind::map;
    op.formula = make_formula<1, 0>([](auto x) { return x; });
    op.type = cast_type;
    op.gradient = [](const GradientCall& c) {
        return is_float(c.x_type(0).dtype) ? Variables{cast(c.gy(), c.x_type(0).dtype)}
                                           : Variables{Variable()};
    };
    op.onnx = [](OnnxCall& c) { return c.node("Cast", {c.input(0)}, {{"to", c.result()}}); };
    return register_map(std::move(op));
}
const OpDef& op_cast = define_cast();

Types fill_type(const TypeCall& c) {
    return {Type{c.attributes.dtype("dtype"), c.attributes.dims("shape")}};
}
const OpDef& define_fill() {
    OpDef op;
    op.name = "fill";
    op.kind = Kind::map;
    op.input_count = 0;
    op.scalar_names = {"value"};
    op.formula = make_formula<0, 1>([](auto s) { return s; });
    op.type = fill_type;
    op.onnx = [](OnnxCall& c) {
        Array value = Array::full({c.result(), Shape{1}}, c.scalars[0]);
        return c.node("ConstantOfShape", {c.graph.integers(c.sizes("shape"))}, {{"value", value}});
    };
    return register_map(std::move(op));
}
const OpDef& op_fill = define_fill();

}  // namespace

Variable operator+(const Operand& a, const Operand& b) {
    return call(op_add, a.location(), {}, {}, a, b);
}
Variable operator+(const Operand& a, const Scalar& b) { return call_lifted(op_add_scalar, a, {b}); }
Variable operator+(const Scalar& a, const Operand& b) { return call_lifted(op_add_scalar, b, {a}); }
Variable operator-(const Operand& a, const Operand& b) {
    return call(op_subtract, a.location(), {}, {}, a, b);
}
Variable operator-(const Operand& a, const Scalar& b) {
    return call_lifted(op_subtract_scalar, a, {b});
}
Variable operator-(const Scalar& a, const Operand& b) {
    return call_lifted(op_scalar_subtract, b, {a});
}
Variable operator*(const Operand& a, const Operand& b) {
    return call(op_multiply, a.location(), {}, {}, a, b);
}
Variable operator*(const Operand& a, const Scalar& b) {
    return call_lifted(op_multiply_scalar, a, {b});
}
Variable operator*(const Scalar& a, const Operand& b) {
    return call_lifted(op_multiply_scalar, b, {a});
}
// Quotients of integers are floats.
Variable operator/(const Operand& a, const Operand& b) {
    if (!are_whole(a, b)) return call(op_divide, a.location(), {}, {}, a, b);
    LocationScope scope(a.location());
    return call(op_divide, a.location(), {}, {}, as_floats(a), as_floats(b));
}
Variable operator/(const Operand& a, const Scalar& b) {
    if (!are_whole(a, a)) return call_lifted(op_divide_scalar, a, {b});
    LocationScope scope(a.location());
    return call_lifted(op_divide_scalar, as_floats(a), {b});
}
Variable operator/(const Scalar& a, const Operand& b) {
    if (!are_whole(b, b)) return call_lifted(op_scalar_divide, b, {a});
    LocationScope scope(b.location());
    return call_lifted(op_scalar_divide, as_floats(b), {a});
}

#define CATENA_COMPARISON(symbol, forward, mirrored)               \
    Variable operator symbol(const Operand& a, const Operand& b) { \
        return call(forward.arrays, a.location(), {}, {}, a, b);   \
    }                                                              \
    Variable operator symbol(const Operand& a, const Scalar& b) {  \
        return call_lifted(forward.scalar, a, {b});                \
    }                                                              \
    Variable operator symbol(const Scalar& a, const Operand& b) {  \
        return call_lifted(mirrored.scalar, b, {a});               \
    }
CATENA_COMPARISON(==, equal, equal)
CATENA_COMPARISON(!=, not_equal, not_equal)
CATENA_COMPARISON(<, less, greater)
CATENA_COMPARISON(<=, less_equal, greater_equal)
CATENA_COMPARISON(>, greater, less)
CATENA_COMPARISON(>=, greater_equal, less_equal)
#undef CATENA_COMPARISON

Variable operator-(const Operand& x) { return call(op_negative, x.location(), {}, {}, x); }
Variable operator!(const Operand& x) { return call(op_logical_not, x.location(), {}, {}, x); }
Variable operator&&(const Operand& a, const Operand& b) {
    return call(op_logical_and, a.location(), {}, {}, a, b);
}
Variable operator||(const Operand& a, const Operand& b) {
    return call(op_logical_or, a.location(), {}, {}, a, b);
}

Variable add(std::span<const Variable> xs) {
    if (xs.empty()) fail<ValueError>("add: takes at least one array");
    Variable sum = xs[0];
    for (const Variable& x : xs.subspan(1)) sum = sum + x;
    return sum;
}

Variable fmod(const Operand& x, const Operand& divisor) {
    return call(op_fmod, x.location(), {}, {}, x, divisor);
}
Variable maximum(const Operand& a, const Operand& b) {
    return call(op_maximum, a.location(), {}, {}, a, b);
}
Variable minimum(const Operand& a, const Operand& b) {
    return call(op_minimum, a.location(), {}, {}, a, b);
}
Variable maximum(const Operand& a, const Scalar& b) {
    return call_lifted(op_maximum_scalar, a, {b});
}
Variable minimum(const Operand& a, const Scalar& b) {
    return call_lifted(op_minimum_scalar, a, {b});
}
Variable where(const Operand& c, const Operand& x, const Operand& y) {
    return call(op_where, c.location(), {}, {}, c, x, y);
}
Variable where(const Operand& c, const Operand& x, const Scalar& y) {
    return call(op_where_else_scalar, c.location(), {}, {y}, c, lifted(x, y));
}
Variable where(const Operand& c, const Scalar& x, const Operand& y) {
    return call(op_where_then_scalar, c.location(), {}, {x}, c, lifted(y, x));
}

Variable cast(const Operand& x, Dtype dtype) {
    const Variable& v = x;
    if (v.dtype() == dtype) return v;
    return call(op_cast, x.location(), {{"dtype", std::string(name_of(dtype))}}, {}, x);
}

Variable fill(const Type& type, const Scalar& value, const std::source_location& at) {
    return apply(op_fill, {}, at,
                 {{"dtype", std::string(name_of(type.dtype))}, {"shape", type.shape}},
                 std::span(&value, 1))[0];
}

Variable as_number(const Operand& truth) { return truth; }

namespace {

const FunctionDef& f_add = function(
    "add(*xs)", {"*xs"}, [](const FunctionArguments& a) { return Variable(add(a.list())); });

template <class F>
const FunctionDef& binary(const char* signature, const char* x, const char* y, F f) {
    return function(signature, {x, y},
                    [=](const FunctionArguments& a) { return f(a.array(x), a.array(y)); });
}
/// x1 - x2, elementwise. Shapes broadcast, and dtypes are promoted.
const FunctionDef& f_subtract =
    binary("subtract(x1, x2)", "x1", "x2", [](auto a, auto b) { return a - b; });
/// x1 * x2, elementwise. Shapes broadcast, and dtypes are promoted.
const FunctionDef& f_multiply =
    binary("multiply(x1, x2)", "x1", "x2", [](auto a, auto b) { return a * b; });
/// x1 / x2, elementwise. Integers divided by integers give floats. Shapes broadcast, and dtypes are
/// promoted.
const FunctionDef& f_divide =
    binary("divide(x1, x2)", "x1", "x2", [](auto a, auto b) { return a / b; });
const FunctionDef& f_fmod =
    binary("fmod(x, divisor)", "x", "divisor", [](auto a, auto b) { return fmod(a, b); });
const FunctionDef& f_maximum =
    binary("maximum(x1, x2)", "x1", "x2", [](auto a, auto b) { return maximum(a, b); });
const FunctionDef& f_minimum =
    binary("minimum(x1, x2)", "x1", "x2", [](auto a, auto b) { return minimum(a, b); });
const FunctionDef& f_equal =
    binary("equal(x1, x2)", "x1", "x2", [](auto a, auto b) { return a == b; });
const FunctionDef& f_not_equal =
    binary("not_equal(x1, x2)", "x1", "x2", [](auto a, auto b) { return a != b; });
const FunctionDef& f_less =
    binary("less(x1, x2)", "x1", "x2", [](auto a, auto b) { return a < b; });
const FunctionDef& f_less_equal =
    binary("less_equal(x1, x2)", "x1", "x2", [](auto a, auto b) { return a <= b; });
const FunctionDef& f_greater =
    binary("greater(x1, x2)", "x1", "x2", [](auto a, auto b) { return a > b; });
const FunctionDef& f_greater_equal =
    binary("greater_equal(x1, x2)", "x1", "x2", [](auto a, auto b) { return a >= b; });
const FunctionDef& f_logical_and =
    binary("logical_and(x1, x2)", "x1", "x2", [](auto a, auto b) { return a && b; });
const FunctionDef& f_logical_or =
    binary("logical_or(x1, x2)", "x1", "x2", [](auto a, auto b) { return a || b; });
// The forms with a number or cell on one side, under the names of their ops.
template <class F>
const FunctionDef& with_scalar(const char* signature, const char* scalar, F f) {
    return function(signature, {"x"},
                    [=](const FunctionArguments& a) { return f(a.array("x"), a.scalar(scalar)); });
}
/// x + value, elementwise.
/// - value: A number.
const FunctionDef& f_add_scalar =
    with_scalar("add_scalar(x, value)", "value", [](auto x, auto s) { return x + s; });
/// x - value, elementwise.
/// - value: A number.
const FunctionDef& f_subtract_scalar =
    with_scalar("subtract_scalar(x, value)", "value", [](auto x, auto s) { return x - s; });
/// value - x, elementwise.
/// - value: A number.
const FunctionDef& f_scalar_subtract =
    with_scalar("scalar_subtract(x, value)", "value", [](auto x, auto s) { return s - x; });
/// x * value, elementwise.
/// - value: A number.
const FunctionDef& f_multiply_scalar =
    with_scalar("multiply_scalar(x, value)", "value", [](auto x, auto s) { return x * s; });
/// x / value, elementwise. Integers divided by an integer give floats.
/// - value: A number.
const FunctionDef& f_divide_scalar =
    with_scalar("divide_scalar(x, value)", "value", [](auto x, auto s) { return x / s; });
/// value / x, elementwise. An integer divided by integers gives floats.
/// - value: A number.
const FunctionDef& f_scalar_divide =
    with_scalar("scalar_divide(x, value)", "value", [](auto x, auto s) { return s / x; });
/// The larger of x and value, elementwise; at a tie the gradient goes to x.
/// - value: A number.
const FunctionDef& f_maximum_scalar =
    with_scalar("maximum_scalar(x, value)", "value", [](auto x, auto s) { return maximum(x, s); });
/// The smaller of x and value, elementwise; at a tie the gradient goes to x.
/// - value: A number.
const FunctionDef& f_minimum_scalar =
    with_scalar("minimum_scalar(x, value)", "value", [](auto x, auto s) { return minimum(x, s); });
/// Whether x is the value, elementwise: bool. No gradient.
/// - value: A number.
const FunctionDef& f_equal_scalar =
    with_scalar("equal_scalar(x, value)", "value", [](auto x, auto s) { return x == s; });
/// Whether x is not the value, elementwise: bool. No gradient.
/// - value: A number.
const FunctionDef& f_not_equal_scalar =
    with_scalar("not_equal_scalar(x, value)", "value", [](auto x, auto s) { return x != s; });
/// Whether x < value, elementwise: bool. No gradient.
/// - value: A number.
const FunctionDef& f_less_scalar =
    with_scalar("less_scalar(x, value)", "value", [](auto x, auto s) { return x < s; });
/// Whether x <= value, elementwise: bool. No gradient.
/// - value: A number.
const FunctionDef& f_less_equal_scalar =
    with_scalar("less_equal_scalar(x, value)", "value", [](auto x, auto s) { return x <= s; });
/// Whether x > value, elementwise: bool. No gradient.
/// - value: A number.
const FunctionDef& f_greater_scalar =
    with_scalar("greater_scalar(x, value)", "value", [](auto x, auto s) { return x > s; });
/// Whether x >= value, elementwise: bool. No gradient.
/// - value: A number.
const FunctionDef& f_greater_equal_scalar =
    with_scalar("greater_equal_scalar(x, value)", "value", [](auto x, auto s) { return x >= s; });
/// x where the condition is not 0, elsewhere the value, elementwise.
/// - condition: Of any dtype.
/// - value: A number.
const FunctionDef& f_where_else_scalar = function(
    "where_else_scalar(condition, x, value)", {"condition", "x"}, [](const FunctionArguments& a) {
        return where(a.array("condition"), a.array("x"), a.scalar("value"));
    });
/// The value where the condition is not 0, elsewhere y, elementwise.
/// - condition: Of any dtype.
/// - value: A number.
const FunctionDef& f_where_then_scalar = function(
    "where_then_scalar(condition, y, value)", {"condition", "y"}, [](const FunctionArguments& a) {
        return where(a.array("condition"), a.scalar("value"), a.array("y"));
    });
const FunctionDef& f_fill =
    function("fill(shape, value, dtype='float32')", {}, [](const FunctionArguments& a) {
        return fill(Type{parse_dtype(a.text("dtype")), a.dims("shape")}, a.number("value"));
    });
const FunctionDef& f_logical_not =
    function("logical_not(x)", {"x"}, [](const FunctionArguments& a) { return !a.array("x"); });
/// -x, elementwise; bools stay as they are.
const FunctionDef& f_negative =
    function("negative(x)", {"x"}, [](const FunctionArguments& a) { return -a.array("x"); });
const FunctionDef& f_where =
    function("where(condition, x, y)", {"condition", "x", "y"}, [](const FunctionArguments& a) {
        return where(a.array("condition"), a.array("x"), a.array("y"));
    });
const FunctionDef& f_cast = function("cast(x, typ)", {"x"}, [](const FunctionArguments& a) {
    return cast(a.array("x"), parse_dtype(a.text("typ")));
});

}  // namespace
}  // namespace catena
