#include "runtime/ops/math/linalg/linalg.h"

#include "runtime/core/system/error.h"
#include "runtime/cpu/linalg/lapack_kernels.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/composite.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/linalg/matrix_rules.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

const OpDef& op_inv = linear_algebra({
    .name = "matrix_inverse",
    .differentiable = true,
    .type = [](const TypeCall& c) { return Types{square_matrices(c, 0)}; },
    .kernel = run_inv,
    .gradient =
        [](const GradientCall& g) {
            const Variable y = g.y();
            return Variables{-matmul(matmul(y, g.gy(), true), y, false, true)};
        },
    .reads = [](int, int) { return Reads{0, 1}; },
    .checks_values = true,
});

const OpDef& op_det = linear_algebra({
    .name = "det",
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            const Type a = square_matrices(c, 0);
            return Types{{a.dtype, batch_of(a.shape)}};
        },
    .kernel = run_det,
    .gradient =
        [](const GradientCall& g) {
            const Variable factor = expand_dims(expand_dims(g.gy() * g.y(), -1), -1);
            return Variables{factor * transposed(inv(g.x(0)))};
        },
    .reads = [](int, int) { return Reads{1, 1}; },
    .onnx = "Det",
});

Types solve_type(const TypeCall& c) {
    const Type a = square_matrices(c, 0), b = c.inputs[1];
    Shape rows = b.shape;
    if (rows.rank() == a.shape.rank()) rows[rows.rank() - 1] = a.shape[a.shape.rank() - 1];
    if (rows != a.shape || b.dtype != a.dtype)
        fail<ShapeError>(
            "solve: b should have as many rows as a, one batch and one dtype; a is {}, b is {}",
            to_string(a), to_string(b));
    return {b};
}

const OpDef& op_solve = linear_algebra({
    .name = "solve",
    .input_count = 2,
    .differentiable = true,
    .type = solve_type,
    .kernel = run_solve,
    .gradient =
        [](const GradientCall& g) {
            const Variable gb = solve(transposed(g.x(0)), g.gy());
            return Variables{g.needs(0) ? -matmul(gb, g.y(), false, true) : Variable(),
                             g.needs(1) ? gb : Variable()};
        },
    .reads = [](int input, int) { return Reads{1, uint64_t(input == 0)}; },
    .checks_values = true,
});

/// Y of A, from Golub and Pereyra's derivative of the pseudoinverse.
Variables pinv_gradient(const GradientCall& g) {
    const Variable a = g.x(0), y = g.y(), gy = g.gy();
    const Variable first = matmul(matmul(y, gy, true), y, false, true);
    const Variable gy_yy = matmul(matmul(gy, y, true), y, false, true);    // gY^T Y Y^T
    const Variable yy_gy = matmul(y, matmul(y, gy, false, true), true);    // Y^T Y gY^T
    const Variable outside_rows = gy_yy - matmul(a, matmul(y, gy_yy));     // (I - A Y) gY^T Y Y^T
    const Variable outside_columns = yy_gy - matmul(matmul(yy_gy, y), a);  // Y^T Y gY^T (I - Y A)
    return {outside_rows + outside_columns - first};
}

Variable pinv_body(const Variable& a, double rcond) {
    const Svd f = svd(a, false);
    const Variable largest = f.s.shape()[f.s.rank() - 1] == 0 ? f.s : max(f.s, -1, true);
    const Variable kept = f.s > largest * rcond;
    const Variable inverse = where(kept, 1.0 / where(kept, f.s, 1.0), Scalar(0.0));
    return matmul(transposed(f.vt) * expand_dims(inverse, -2), f.u, false, true);
}

const OpDef& op_pinv = define_composite({
    .name = "pinv",
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            Type y = matrices(c, 0);
            const int last = y.shape.rank() - 1;
            std::swap(y.shape[last], y.shape[last - 1]);
            return Types{y};
        },
    .body =
        [](std::span<const Variable> x, const Attributes& attributes, std::span<const Scalar>) {
            return Variables{pinv_body(x[0], attributes.number("rcond"))};
        },
    .gradient = pinv_gradient,
    .reads = [](int, int) { return Reads{1, 1}; },
});

void check_batch(const char* op, const Variable& a) {
    if (a.rank() != 3)
        fail<ShapeError>("{}: a should be [B,n,n], it is {}", op, to_string(a.shape()));
}

/// `x` repeated for every matrix of the batch.
Variable for_batch(const Variable& x, const Shape& batch) {
    Shape shape = batch;
    for (int i = x.rank() - 2; i < x.rank(); ++i) shape.push_back(x.shape()[i]);
    return broadcast_to(x, shape);
}

#define CATENA_MATRIX_FUNCTION(name)        \
    const FunctionDef& f_##name = function( \
        #name "(a)", {"a"}, [](const FunctionArguments& a) { return name(a.array("a")); });
CATENA_MATRIX_FUNCTION(inv)
CATENA_MATRIX_FUNCTION(batch_inv)
CATENA_MATRIX_FUNCTION(det)
CATENA_MATRIX_FUNCTION(batch_det)
#undef CATENA_MATRIX_FUNCTION
const FunctionDef& f_batch_matmul = function(
    "batch_matmul(a, b, transa=False, transb=False)", {"a", "b"}, [](const FunctionArguments& a) {
        return batch_matmul(a.array("a"), a.array("b"), a.flag("transa"), a.flag("transb"));
    });
const FunctionDef& f_solve = function("solve(a, b)", {"a", "b"}, [](const FunctionArguments& a) {
    return solve(a.array("a"), a.array("b"));
});
const FunctionDef& f_pinv = function("pinv(a, rcond=1e-15)", {"a"}, [](const FunctionArguments& a) {
    return pinv(a.array("a"), a.number("rcond"));
});

}  // namespace

Variable inv(const Operand& a) { return in_working_precision(op_inv, a, {})[0]; }
Variable det(const Operand& a) { return in_working_precision(op_det, a, {})[0]; }
Variable pinv(const Operand& a, double rcond) {
    return in_working_precision(op_pinv, a, {{"rcond", rcond}})[0];
}

Variable batch_inv(const Operand& a) {
    LocationScope scope(a.location());
    check_batch("batch_inv", a);
    return inv(a);
}
Variable batch_det(const Operand& a) {
    LocationScope scope(a.location());
    check_batch("batch_det", a);
    return det(a);
}

Variable batch_matmul(const Operand& a, const Operand& b, bool transa, bool transb) {
    LocationScope scope(a.location());
    const auto as_matrices = [](const Variable& x) {
        if (x.rank() != 2 && x.rank() != 3)
            fail<ShapeError>(
                "batch_matmul: the factors should be [B,m,n] or columns [B,m], one is {}",
                to_string(x.shape()));
        return x.rank() == 2 ? expand_dims(x, -1) : x;
    };
    return matmul(as_matrices(a), as_matrices(b), transa, transb);
}

Variable solve(const Operand& a, const Operand& b) {
    LocationScope scope(a.location());
    const Variable &given_a = a, &given_b = b;
    if (given_a.dtype() != given_b.dtype())
        fail<DtypeError>("solve: a is {}, b is {}; dtypes must be equal", name_of(given_a.dtype()),
                         name_of(given_b.dtype()));
    if (given_a.rank() < 2 || given_b.rank() < 1)
        fail<ShapeError>("solve: a should be [...,n,n], b [n] or [...,n,k]; a is {}, b is {}",
                         to_string(given_a.shape()), to_string(given_b.shape()));
    const bool vector = given_b.rank() == 1;
    const Variable columns = widened(vector ? expand_dims(given_b, -1) : given_b),
                   left = widened(given_a);
    Shape batch;
    if (!broadcast_shapes(batch_of(left.shape()), batch_of(columns.shape()), batch))
        fail<ShapeError>("solve: the batches of a {} and b {} do not broadcast",
                         to_string(given_a.shape()), to_string(given_b.shape()));
    const Variable x =
        call(op_solve, known_location(), {}, {}, for_batch(left, batch), for_batch(columns, batch));
    return cast(vector ? squeeze(x, {-1}) : x, given_b.dtype());
}

}  // namespace catena
