#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/define/scalar_type.h"

namespace catena {
namespace {

// The gradient towards the exponent is 0 where the base is 0, so that 0 ** 2 has one; towards the
// base it is 0 where the exponent is, at 0, too.
const OpDef& op_power = elementwise<2>("power")
                            .floats()
                            .forward([](auto a, auto b) { return pow(a, b); })
                            .gradient<0>([](auto a, auto b, auto y, auto gy) {
                                return select(b == 0, 0, gy * b * pow(a, b - 1));
                            })
                            .gradient<1>([](auto a, auto b, auto y, auto gy) {
                                return gy * y * log(select(a == 0, 1, a));
                            })
                            .onnx("Pow")
                            .define();

const OpDef& op_power_scalar = elementwise<1, 1>("power_scalar")
                                   .scalars({"exponent"})
                                   .floats()
                                   .forward([](auto x, auto s) { return pow(x, s); })
                                   .gradient([](auto x, auto s, auto y, auto gy) {
                                       return select(s == 0, 0, gy * s * pow(x, s - 1));
                                   })
                                   .define();

const OpDef& op_scalar_power =
    elementwise<1, 1>("scalar_power")
        .scalars({"base"})
        .floats()
        .forward([](auto x, auto s) { return pow(s, x); })
        .gradient([](auto x, auto s, auto y, auto gy) { return gy * y * log(s); })
        .define();

// Powers of the usual numbers are maps of their own, as pow() takes one element at a time and tens
// of times as long. Their values at zeros of either sign, infinities and NaN are those of pow().
const OpDef& op_power_2 = elementwise<1>("power_2")
                              .floats()
                              .forward([](auto x) { return x * x; })
                              .gradient([](auto x, auto y, auto gy) { return gy * (x * 2); })
                              .onnx("Pow(a, 2)")
                              .define();

const OpDef& op_power_3 = elementwise<1>("power_3")
                              .floats()
                              .forward([](auto x) { return x * x * x; })
                              .gradient([](auto x, auto y, auto gy) { return gy * (x * x * 3); })
                              .onnx("Pow(a, 3)")
                              .define();

const OpDef& op_power_minus_1 = elementwise<1>("power_minus_1")
                                    .floats()
                                    .forward([](auto x) { return 1 / x; })
                                    .gradient([](auto x, auto y, auto gy) {
                                        return -gy / x / x;
                                    })  // x * x could overflow before the quotient vanishes.
                                    .onnx("Pow(a, -1)")
                                    .define();

// Unlike sqrt, pow gives 0 of -0 and infinity of -infinity. Only zeros and infinities are their own
// doubles.
const OpDef& op_power_half =
    elementwise<1>("power_half")
        .floats()
        .forward([](auto x) { return sqrt(select(x + x == x, absolute(x), x)); })
        .gradient([](auto x, auto y, auto gy) { return gy / y * 0.5; })
        .onnx("Pow(a, 0.5)")
        .define();

/// The map of x to the power of that number, if it has one.
const OpDef* map_of_power(double exponent) {
    if (exponent == 2) return &op_power_2;
    if (exponent == 3) return &op_power_3;
    if (exponent == -1) return &op_power_minus_1;
    if (exponent == 0.5) return &op_power_half;
    return nullptr;
}

}  // namespace

Variable pow(const Operand& x, const Scalar& exponent) {
    const Variable& v = x;
    if (are_whole(v, v) && !is_float(lifted(v.dtype(), exponent))) {
        LocationScope scope(x.location());
        return pow(as_floats(x), exponent);
    }
    const bool floats = v.defined() && v.array().defined() && is_float(lifted(v.dtype(), exponent));
    // A cell's number may be another one in the next call of a compiled program.
    if (!floats || exponent.cell()) return call_lifted(op_power_scalar, x, {exponent});
    LocationScope scope(x.location());
    if (exponent.value() == 1) return x * exponent;
    if (const OpDef* map = map_of_power(exponent.value()))
        return call(*map, x.location(), {}, {}, lifted(x, exponent));
    return call_lifted(op_power_scalar, x, {exponent});
}
Variable pow(const Scalar& base, const Operand& x) {
    if (are_whole(x, x)) return call(op_scalar_power, x.location(), {}, {base}, as_floats(x));
    return call_lifted(op_scalar_power, x, {base});
}
Variable pow(const Operand& base, const Operand& exponent) {
    if (are_whole(base, exponent))
        return call(op_power, base.location(), {}, {}, as_floats(base), exponent);
    return call(op_power, base.location(), {}, {}, base, exponent);
}

namespace {

const FunctionDef& f_power =
    function("power(x1, x2)", {"x1", "x2"},
             [](const FunctionArguments& a) { return pow(a.array("x1"), a.array("x2")); });
/// x^exponent, elementwise. Integers to the power of an integer give floats.
/// - exponent: A number.
const FunctionDef& f_power_scalar =
    function("power_scalar(x, exponent)", {"x"},
             [](const FunctionArguments& a) { return pow(a.array("x"), a.scalar("exponent")); });
/// base^x, elementwise. An integer to the power of integers gives floats.
/// - base: A number.
const FunctionDef& f_scalar_power =
    function("scalar_power(x, base)", {"x"},
             [](const FunctionArguments& a) { return pow(a.scalar("base"), a.array("x")); });

}  // namespace
}  // namespace catena
