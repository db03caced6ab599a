#include "runtime/ops/math/bits.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "runtime/core/array/device.h"
#include "runtime/core/array/loop_nest.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

/// y = f(a, b) for two arrays of y's integer type and shape.
template <class T, class F>
void run_on(const Array& a, const Array& b, const Array& y, F f) {
    const Strides strides[] = {a.strides(), b.strides()};
    const LoopNest nest = make_loop_nest(y.shape(), strides);
    const int64_t inner = nest.inner(), a_step = nest.inner_stride(0),
                  b_step = nest.inner_stride(1);
    if (y.size() == 0) return;
    const T *a_from = a.elements<T>(), *b_from = b.elements<T>();
    T* to = y.to_fill<T>();
    parallel_for(y.size() / inner, std::max<int64_t>(1, 16384 / inner),
                 [&](int64_t begin, int64_t end) {
                     for (int64_t row = begin; row < end; ++row) {
                         const T *x1 = a_from + nest.row_offset(0, row),
                                 *x2 = b_from + nest.row_offset(1, row);
                         for (int64_t k = 0; k < inner; ++k)
                             to[row * inner + k] = T(f(x1[k * a_step], x2[k * b_step]));
                     }
                 });
}

Types pair_type(const TypeCall& c) {
    CATENA_ASSERT(c.inputs[0] == c.inputs[1] && is_integer(c.inputs[0].dtype),
                  "both are integers of one type");
    return {c.inputs[0]};
}

/// An op on two arrays of one integer type and shape. `text` is the element's formula of `a` and
/// `b` (64 bits) and `bits`, the width of the type.
template <class F>
const OpDef& define(const char* name, const char* text, F f, OnnxMapping onnx) {
    return register_op({
        .name = name,
        .input_count = 2,
        .type = pair_type,
        .kernel =
            [f](const KernelCall& c) {
                visit_dtype(c.outputs[0].dtype(), [&](auto zero) {
                    using T = decltype(zero);
                    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
                        run_on<T>(c.inputs[0], c.inputs[1], c.outputs[0], f);
                });
            },
        .onnx = std::move(onnx),
        .declared = {element_plan([text](const KernelCall& c) {
            const int64_t bits = 8 * int64_t(size_of(c.outputs[0].dtype()));
            return ElementProgram{{{"        const i64 a = x0(i), b = x1(i);\n        y0(i, " +
                                        std::string(text) + ");",
                                    c.outputs[0].size(),
                                    {{"bits", bits}}}},
                                  0};
        })},
    });
}

/// ONNX shifts unsigned integers only.
OnnxMapping shift_mapping(const char* direction) {
    return {[direction](OnnxCall& c) {
                if (c.result() != Dtype::uint8) return std::vector<int>();
                return c.node("BitShift", {c.input(0), c.input(1)}, {{"direction", direction}});
            },
            11};
}

template <class T>
T shifted_left(T x, T by) {
    constexpr int bits = int(8 * sizeof(T));
    return int64_t(by) < 0 || int64_t(by) >= bits ? T(0) : T(uint64_t(x) << by);
}
template <class T>
T shifted_right(T x, T by) {
    constexpr int bits = int(8 * sizeof(T));
    return int64_t(by) < 0 || int64_t(by) >= bits ? (x < 0 ? T(-1) : T(0)) : T(x >> by);
}

const OpDef& op_and =
    define("bitwise_and", "a & b", [](auto a, auto b) { return a & b; }, {"BitwiseAnd", 18});
const OpDef& op_or =
    define("bitwise_or", "a | b", [](auto a, auto b) { return a | b; }, {"BitwiseOr", 18});
const OpDef& op_xor =
    define("bitwise_xor", "a ^ b", [](auto a, auto b) { return a ^ b; }, {"BitwiseXor", 18});
const OpDef& op_left = define(
    "left_shift", "b < 0 || b >= bits ? i64(0) : i64(u64(a) << b)",
    [](auto a, auto b) { return shifted_left(a, b); }, shift_mapping("LEFT"));
const OpDef& op_right = define(
    "right_shift", "b < 0 || b >= bits ? (a < 0 ? i64(-1) : i64(0)) : a >> b",
    [](auto a, auto b) { return shifted_right(a, b); }, shift_mapping("RIGHT"));

/// How the function is computed of bools; none: not at all.
using OfBools = Variable (*)(const Operand&, const Operand&);

Variable pair_call(const OpDef& op, OfBools of_bools, const Operand& x1, const Operand& x2) {
    LocationScope scope(x1.location());
    const Variable &a = x1, &b = x2;
    const Dtype dtype = promote(a.dtype(), b.dtype());
    if (dtype == Dtype::bool_ && of_bools) return of_bools(a, b);
    if (!is_integer(dtype))
        fail<DtypeError>("{}: x1 is {}, x2 is {}; {} are right", op.name, to_string(a.type()),
                         to_string(b.type()), of_bools ? "integers or bools" : "integers");
    Shape shape;
    if (!broadcast_shapes(a.shape(), b.shape(), shape))
        fail<ShapeError>("{}: shapes must broadcast, x1 is {}, x2 is {}", op.name,
                         to_string(a.type()), to_string(b.type()));
    return call(op, x1.location(), {}, {}, broadcast_to(cast(a, dtype), shape),
                broadcast_to(cast(b, dtype), shape));
}

/// The number as an array of the dtype that x has beside it.
Variable beside_bits(const OpDef& op, const Scalar& number, const Variable& x) {
    const Dtype dtype = lifted(x.dtype(), number);
    const double value = number.value();
    const bool is_signed = is_integer(dtype) && dtype != Dtype::uint8;
    const double most = std::ldexp(1.0, int(8 * size_of(dtype)) - is_signed);
    if (is_integer(dtype) && !(value >= (is_signed ? -most : 0) && value < most))
        fail<ValueError>("{}: {} does not hold {}; cast x to a wider integer type", op.name,
                         name_of(dtype), value);
    const DeviceScope scope(x.device());
    return fill({dtype, Shape{}}, number);
}

Variable both(const Operand& a, const Operand& b) { return a && b; }
Variable either(const Operand& a, const Operand& b) { return a || b; }
Variable one_of(const Operand& a, const Operand& b) { return a != b; }

}  // namespace

#define CATENA_BIT_FUNCTION(name, symbol, op, of_bools)                                     \
    Variable name(const Operand& x1, const Operand& x2) {                                   \
        return pair_call(op, of_bools, x1, x2);                                             \
    }                                                                                       \
    Variable name(const Operand& x1, const Scalar& x2) {                                    \
        LocationScope scope(x1.location());                                                 \
        return pair_call(op, of_bools, x1, beside_bits(op, x2, x1));                        \
    }                                                                                       \
    Variable name(const Scalar& x1, const Operand& x2) {                                    \
        LocationScope scope(x2.location());                                                 \
        return pair_call(op, of_bools, beside_bits(op, x1, x2), x2);                        \
    }                                                                                       \
    Variable operator symbol(const Operand& x1, const Operand& x2) { return name(x1, x2); } \
    Variable operator symbol(const Operand& x1, const Scalar& x2) { return name(x1, x2); }  \
    Variable operator symbol(const Scalar& x1, const Operand& x2) { return name(x1, x2); }  \
    static const FunctionDef& f_##name =                                                    \
        function(#name "(x1, x2)", {"x1", "x2"},                                            \
                 [](const FunctionArguments& a) { return name(a.array("x1"), a.array("x2")); });
CATENA_BIT_FUNCTION(bitwise_and, &, op_and, both)
CATENA_BIT_FUNCTION(bitwise_or, |, op_or, either)
CATENA_BIT_FUNCTION(bitwise_xor, ^, op_xor, one_of)
CATENA_BIT_FUNCTION(left_shift, <<, op_left, nullptr)
CATENA_BIT_FUNCTION(right_shift, >>, op_right, nullptr)
#undef CATENA_BIT_FUNCTION

Variable bitwise_not(const Operand& x) {
    LocationScope scope(x.location());
    const Variable& v = x;
    if (v.dtype() == Dtype::bool_) return !v;
    if (!is_integer(v.dtype()))
        fail<DtypeError>("bitwise_not: x is {}; integers or bools are right", to_string(v.type()));
    return v.dtype() == Dtype::uint8 ? bitwise_xor(v, 255) : bitwise_xor(v, -1);
}
Variable operator~(const Operand& x) { return bitwise_not(x); }
static const FunctionDef& f_bitwise_not = function(
    "bitwise_not(x)", {"x"}, [](const FunctionArguments& a) { return bitwise_not(a.array("x")); });

}  // namespace catena
