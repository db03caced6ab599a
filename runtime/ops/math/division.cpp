#include "runtime/ops/math/division.h"

#include "runtime/core/array/device.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/define/scalar_type.h"

namespace catena {
namespace {

/// True where a rest is not 0, and on the other side of 0 than the divisor.
constexpr auto rest_is_opposite = [](auto rest, auto y) {
    return (rest < 0 && y > 0) || (rest > 0 && y < 0);
};

/// fmod's rest, moved to the divisor's side.
constexpr auto rest_of = [](auto x, auto y) {
    auto rest = fmod(x, y);
    return select(rest_is_opposite(rest, y), rest + y, rest);
};

/// The floor of the exact quotient, as NumPy: x / y may be rounded up to the next integer (1 /
/// 0.1). What is left without the exact rest is an integer but for its own rounding.
constexpr auto floor_of_quotient = [](auto x, auto y) {
    auto rest = fmod(x, y), whole = (x - rest) / y;
    auto quotient = select(rest_is_opposite(rest, y), whole - 1, whole), below = floor(quotient);
    return select(y == 0, x / y, select(quotient - below > 0.5, below + 1, below));
};

const OpDef& op_remainder =
    elementwise<2>("remainder")
        .forward([](auto x, auto y) { return rest_of(x, y); })
        .gradient<0>([](auto x, auto y, auto r, auto gy) { return gy; })
        .gradient<1>([](auto x, auto y, auto r, auto gy) { return gy * -floor_of_quotient(x, y); })
        .define();

const OpDef& op_floor_divide = elementwise<2>("floor_divide")
                                   .floats()
                                   .forward([](auto x, auto y) { return floor_of_quotient(x, y); })
                                   .define();

// Integers, whose division goes towards zero. Nothing overflows on the way to a quotient that there
// is.
const OpDef& op_integer_floor_divide =
    elementwise<2>("integer_floor_divide")
        .forward([](auto x, auto y) {
            return select(rest_is_opposite(fmod(x, y), y), x / y - 1, x / y);
        })
        .define();

/// The number as an array of the dtype that x has beside it.
Variable beside(const Scalar& number, const Operand& x) {
    const Variable& v = x;
    const DeviceScope scope(v.device());
    return fill({lifted(v.dtype(), number), Shape{}}, number, std::source_location());
}

template <class F>
const FunctionDef& of_two(const char* signature, F f) {
    return function(signature, {"x", "y"},
                    [f](const FunctionArguments& a) { return f(a.array("x"), a.array("y")); });
}
const FunctionDef& f_remainder =
    of_two("remainder(x, y)", [](auto x, auto y) { return remainder(x, y); });
const FunctionDef& f_floor_divide =
    function("floor_divide(x1, x2)", {"x1", "x2"},
             [](const FunctionArguments& a) { return floor_divide(a.array("x1"), a.array("x2")); });

}  // namespace

Variable remainder(const Operand& x, const Operand& y) {
    return call(op_remainder, x.location(), {}, {}, x, y);
}
Variable remainder(const Operand& x, const Scalar& y) {
    LocationScope scope(x.location());
    return remainder(lifted(x, y), beside(y, x));
}
Variable remainder(const Scalar& x, const Operand& y) {
    LocationScope scope(y.location());
    return remainder(beside(x, y), lifted(y, x));
}
Variable operator%(const Operand& x, const Operand& y) { return remainder(x, y); }
Variable operator%(const Operand& x, const Scalar& y) { return remainder(x, y); }
Variable operator%(const Scalar& x, const Operand& y) { return remainder(x, y); }

Variable floor_divide(const Operand& x, const Operand& y) {
    const OpDef& op = are_whole(x, y) ? op_integer_floor_divide : op_floor_divide;
    return call(op, x.location(), {}, {}, x, y);
}
Variable floor_divide(const Operand& x, const Scalar& y) {
    LocationScope scope(x.location());
    return floor_divide(lifted(x, y), beside(y, x));
}
Variable floor_divide(const Scalar& x, const Operand& y) {
    LocationScope scope(y.location());
    return floor_divide(beside(x, y), lifted(y, x));
}

}  // namespace catena
