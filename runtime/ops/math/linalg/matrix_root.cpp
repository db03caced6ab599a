#include "runtime/ops/math/linalg/matrix_root.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/composite.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/linalg/linalg.h"
#include "runtime/ops/math/linalg/matrix_rules.h"
#include "runtime/ops/math/math.h"

namespace catena {
namespace {

void check_matrix(const char* op, const Type& a, const Type& first) {
    const Shape& s = a.shape;
    if (!is_float(a.dtype))
        fail<DtypeError>("{}: takes floating point values, not {}", op, to_string(a));
    if (s.rank() < 2 || s[s.rank() - 1] != s[s.rank() - 2] || s != first.shape)
        fail<ShapeError>("{}: takes square matrices [..., n, n] of one shape, not {}", op,
                         to_string(s));
}
void check_matrix(const TypeCall& c) {
    for (const Type& each : c.inputs) check_matrix(c.op.name.c_str(), each, c.inputs[0]);
}

Variable symmetric(const Variable& a) { return (a + transposed(a)) * 0.5; }

/// v diag(f) v^T, where f stands in rows.
Variable with_values(const Variable& v, const Variable& f) {
    return matmul(v * expand_dims(f, -2), v, false, true);
}

Variable root_of(const Variable& a);
Variable solved(const Variable& a, const Variable& q);

// b a b = 1 gives db s + s db = -b da b with s = a b = a^(1/2); the adjoint of x -> s x + x s is
// itself.
const OpDef& op_root = define_composite({
    .name = "inverse_square_root",
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            check_matrix(c);
            return Types{c.inputs[0]};
        },
    .body =
        [](std::span<const Variable> in, const Attributes&, std::span<const Scalar>) {
            const Eigh f = eigh(in[0]);
            return Variables{with_values(f.v, rsqrt(f.w))};
        },
    .gradient =
        [](const GradientCall& g) {
            const Variable b = g.y(), s = symmetric(matmul(g.x(0), b));
            return Variables{-symmetric(matmul(matmul(b, solved(s, symmetric(g.gy()))), b))};
        },
    .reads = [](int, int) { return Reads{.inputs = 1, .outputs = 1}; },
});

// With x for q and h for gx: a dx + dx a = dq - da x - x da.
const OpDef& op_lyapunov = define_composite({
    .name = "lyapunov",
    .input_count = 2,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            check_matrix(c);
            return Types{{promote(c.inputs[0].dtype, c.inputs[1].dtype), c.inputs[0].shape}};
        },
    .body =
        [](std::span<const Variable> in, const Attributes&, std::span<const Scalar>) {
            const Eigh f = eigh(in[0]);
            const Variable turned = matmul(matmul(f.v, in[1], true), f.v);
            const Variable x = turned / (expand_dims(f.w, -1) + expand_dims(f.w, -2));
            return Variables{matmul(matmul(f.v, x), f.v, false, true)};
        },
    .gradient =
        [](const GradientCall& g) {
            const Variable x = g.y(), h = solved(g.x(0), symmetric(g.gy()));
            return Variables{-symmetric(matmul(h, x) * 2.0), h};
        },
    .reads = [](int, int) { return Reads{.inputs = 1, .outputs = 1}; },
});

Variable root_of(const Variable& a) { return call(op_root, known_location(), {}, {}, a); }
Variable solved(const Variable& a, const Variable& q) {
    return call(op_lyapunov, known_location(), {}, {}, a, q);
}

const FunctionDef& f_root =
    function("inverse_square_root(a)", {"a"},
             [](const FunctionArguments& a) { return inverse_square_root(a.array("a")); });
const FunctionDef& f_lyapunov =
    function("lyapunov(a, q)", {"a", "q"},
             [](const FunctionArguments& a) { return lyapunov(a.array("a"), a.array("q")); });

}  // namespace

Variable inverse_square_root(const Operand& operand) {
    LocationScope scope(operand.location());
    const Variable& a = operand;
    check_matrix(op_root.name.c_str(), a.type(), a.type());
    return cast(root_of(symmetric(widened(a))), a.dtype());
}

Variable lyapunov(const Operand& a, const Operand& q) {
    LocationScope scope(a.location());
    const Variable &va = a, &vq = q;
    for (const Variable& each : {va, vq})
        check_matrix(op_lyapunov.name.c_str(), each.type(), va.type());
    const Dtype result = promote(va.dtype(), vq.dtype());
    return cast(solved(symmetric(widened(cast(va, result))), symmetric(widened(cast(vq, result)))),
                result);
}

}  // namespace catena
