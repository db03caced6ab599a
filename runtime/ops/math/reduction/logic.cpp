#include "runtime/ops/math/reduction/logic.h"

#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/define.h"

namespace catena {
namespace {

const OpDef& op_logical_xor =
    elementwise<2>("logical_xor")
        .gives_bool()
        .forward([](auto a, auto b) { return (a != 0 && b == 0) || (a == 0 && b != 0); })
        .onnx("Xor(bool(a), bool(b))")
        .define();

// By arithmetic, in which infinities and NaN show; integers have neither.
const OpDef& op_isnan =
    elementwise<1>("isnan").gives_bool().forward([](auto x) { return x != x; }).define();
const OpDef& op_isinf = elementwise<1>("isinf")
                            .gives_bool()
                            .forward([](auto x) { return x == x && x - x != 0; })
                            .define();
const OpDef& op_isfinite =
    elementwise<1>("isfinite").gives_bool().forward([](auto x) { return x - x == 0; }).define();

const FunctionDef& f_logical_xor =
    function("logical_xor(x1, x2)", {"x1", "x2"},
             [](const FunctionArguments& a) { return logical_xor(a.array("x1"), a.array("x2")); });
const FunctionDef& f_isnan =
    function("isnan(x)", {"x"}, [](const FunctionArguments& a) { return isnan(a.array("x")); });
const FunctionDef& f_isinf =
    function("isinf(x)", {"x"}, [](const FunctionArguments& a) { return isinf(a.array("x")); });
const FunctionDef& f_isfinite = function(
    "isfinite(x)", {"x"}, [](const FunctionArguments& a) { return isfinite(a.array("x")); });
const FunctionDef& f_isclose =
    function("isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)", {"a", "b"},
             [](const FunctionArguments& a) {
                 return isclose(a.array("a"), a.array("b"), a.number("rtol"), a.number("atol"),
                                a.flag("equal_nan"));
             });

template <class F>
const FunctionDef& logical_reduction(const char* signature, F f) {
    return function(signature, {"x"}, [f](const FunctionArguments& a) {
        return f(a.array("x"), a.dims("axis"), a.flag("keepdims"));
    });
}
const FunctionDef& f_all =
    logical_reduction("all(x, axis=None, keepdims=False)",
                      [](auto x, auto axis, bool keepdims) { return all(x, axis, keepdims); });
const FunctionDef& f_any =
    logical_reduction("any(x, axis=None, keepdims=False)",
                      [](auto x, auto axis, bool keepdims) { return any(x, axis, keepdims); });
const FunctionDef& f_count_nonzero = logical_reduction(
    "count_nonzero(x, axis=None, keepdims=False)",
    [](auto x, auto axis, bool keepdims) { return count_nonzero(x, axis, keepdims); });

}  // namespace

#define CATENA_COMPARISON_FUNCTION(name, symbol)                                 \
    Variable name(const Operand& x1, const Operand& x2) { return x1 symbol x2; } \
    Variable name(const Operand& x1, const Scalar& x2) { return x1 symbol x2; }  \
    Variable name(const Scalar& x1, const Operand& x2) { return x1 symbol x2; }
CATENA_COMPARISON_FUNCTION(equal, ==)
CATENA_COMPARISON_FUNCTION(not_equal, !=)
CATENA_COMPARISON_FUNCTION(less, <)
CATENA_COMPARISON_FUNCTION(less_equal, <=)
CATENA_COMPARISON_FUNCTION(greater, >)
CATENA_COMPARISON_FUNCTION(greater_equal, >=)
#undef CATENA_COMPARISON_FUNCTION

Variable logical_not(const Operand& x) { return !x; }
Variable logical_and(const Operand& x1, const Operand& x2) { return x1 && x2; }
Variable logical_or(const Operand& x1, const Operand& x2) { return x1 || x2; }
Variable logical_xor(const Operand& x1, const Operand& x2) {
    return call(op_logical_xor, x1.location(), {}, {}, x1, x2);
}
Variable isnan(const Operand& x) { return call(op_isnan, x.location(), {}, {}, x); }
Variable isinf(const Operand& x) { return call(op_isinf, x.location(), {}, {}, x); }
Variable isfinite(const Operand& x) { return call(op_isfinite, x.location(), {}, {}, x); }

Variable isclose(const Operand& a, const Operand& b, const Scalar& rtol, const Scalar& atol,
                 bool equal_nan) {
    LocationScope scope(a.location());
    const Variable &x = a, &y = b;
    const Dtype common = promote(x.dtype(), y.dtype());
    // In float64, where distances of integers and tolerances of small floats are right.
    const Variable p = cast(x, Dtype::float64), q = cast(y, Dtype::float64);
    const Variable near = absolute(p - q) <= absolute(q) * rtol + atol;
    const Variable close = (isfinite(p) && isfinite(q) && near) || p == q;
    return equal_nan && is_float(common) ? close || (isnan(p) && isnan(q)) : close;
}

bool allclose(const Operand& a, const Operand& b, const Scalar& rtol, const Scalar& atol,
              bool equal_nan) {
    LocationScope scope(a.location());
    return all(isclose(a, b, rtol, atol, equal_nan)).item<bool>();
}
bool array_equal(const Operand& a, const Operand& b) {
    LocationScope scope(a.location());
    const Variable &x = a, &y = b;
    return x.shape() == y.shape() && all(x == y).item<bool>();
}

// Counts, unlike extrema, are defined for no elements.
Variable count_nonzero(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    LocationScope scope(x.location());
    return sum(x != 0, axis, keepdims);
}
Variable any(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    LocationScope scope(x.location());
    return count_nonzero(x, axis, keepdims) > 0;
}
Variable all(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    LocationScope scope(x.location());
    return sum(!x, axis, keepdims) == 0;
}

}  // namespace catena
