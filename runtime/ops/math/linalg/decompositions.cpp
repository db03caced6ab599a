#include "runtime/core/system/error.h"
#include "runtime/cpu/linalg/lapack_kernels.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/linalg/linalg.h"
#include "runtime/ops/math/linalg/matrix_rules.h"

namespace catena {
namespace {

int64_t rows_of(const Shape& shape) { return shape[shape.rank() - 2]; }
int64_t columns_of(const Shape& shape) { return shape[shape.rank() - 1]; }
Shape with_matrix(const Shape& batch, std::initializer_list<int64_t> sizes) {
    Shape shape = batch;
    for (int64_t size : sizes) shape.push_back(size);
    return shape;
}

Variable diagonal_matrices(const Variable& d) {
    return expand_dims(d, -1) * triangles(d, d.shape()[d.rank() - 1], 0, 1, 0);
}

/// 1 / (d_j - d_i) at [i,j], and 0 on the diagonal.
Variable inverse_differences(const Variable& d) {
    const int64_t n = d.shape()[d.rank() - 1];
    const Variable one = triangles(d, n, 0, 1, 0);
    return (1 - one) / (expand_dims(d, -2) - expand_dims(d, -1) + one);
}

// Murray (2016): S = L^-T phi(L^T gL) L^-1, where phi takes the lower triangle and halves the
// diagonal.
Variables cholesky_gradient(const GradientCall& g) {
    const Variable L = g.y(), inverse = inv(L);
    const Variable phi = matmul(L, g.gy(), true) * triangles(L, rows_of(L.shape()), 1, 0.5, 0);
    const Variable s = matmul(matmul(inverse, phi, true), inverse);
    return {(s + transposed(s)) * 0.5};
}

const OpDef& op_cholesky = linear_algebra({
    .name = "cholesky",
    .differentiable = true,
    .type = [](const TypeCall& c) { return Types{square_matrices(c, 0)}; },
    .kernel = run_cholesky,
    .gradient = cholesky_gradient,
    .reads = [](int, int) { return Reads{0, 1}; },
    .checks_values = true,
});

/// The sum of two gradients of which one may be undefined.
Variable sum_of(const Variable& a, const Variable& b) {
    return !a.defined() ? b : !b.defined() ? a : a + b;
}

// Giles (2008). The gradient is that of symmetric matrices.
Variables eigh_gradient(const GradientCall& g) {
    const Variable w = g.y(0), v = g.y(1);
    Variable inner;  // Towards v it is not finite where eigenvalues are equal, so it is nothing
                     // where v has no gradient.
    if (g.has_gy(0)) inner = diagonal_matrices(g.gy(0));
    if (g.has_gy(1)) inner = sum_of(inner, inverse_differences(w) * matmul(v, g.gy(1), true));
    const Variable s = matmul(matmul(v, inner), v, false, true);
    return {(s + transposed(s)) * 0.5};
}

const OpDef& op_eigh = linear_algebra({
    .name = "eigh",
    .output_count = 2,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            const Type a = square_matrices(c, 0);
            return Types{{a.dtype, with_matrix(batch_of(a.shape), {rows_of(a.shape)})}, a};
        },
    .kernel = run_eigh,
    .gradient = eigh_gradient,
    .reads = [](int, int) { return Reads{0, 3}; },
    .checks_values = true,
});

Types svd_type(const TypeCall& c) {
    const Type a = matrices(c, 0);
    const int64_t m = rows_of(a.shape), n = columns_of(a.shape), k = std::min(m, n);
    const bool full = c.attributes.flag("full_matrices");
    const Shape batch = batch_of(a.shape);
    return {{a.dtype, with_matrix(batch, {m, full ? m : k})},
            {a.dtype, with_matrix(batch, {k})},
            {a.dtype, with_matrix(batch, {full ? n : k, n})}};
}

// Townsend (2016), "Differentiating the singular value decomposition".
Variables svd_gradient(const GradientCall& g) {
    if (g.attributes().flag("full_matrices") &&
        rows_of(g.y_type(0).shape) != columns_of(g.y_type(2).shape))
        fail<ValueError>(
            "svd: of a {} there is no gradient with full_matrices; call svd(a, "
            "full_matrices=False)",
            to_string(g.x_type(0).shape));
    const Variable u = g.y(0), s = g.y(1), vt = g.y(2);
    const Variable along = expand_dims(s, -2), down = expand_dims(s, -1);  // of columns, of rows
    Variable inner, gx;  // Without the terms of results that have no gradient: those of U and V are
                         // not finite where values are equal or 0.
    if (g.has_gy(1)) inner = diagonal_matrices(g.gy(1));
    if (g.has_gy(0)) {
        const Variable gu = g.gy(0), ugu = matmul(u, gu, true);
        inner = sum_of(inner, inverse_differences(s * s) * (ugu - transposed(ugu)) * along);
        gx = matmul((gu - matmul(u, ugu)) / along, vt);  // (I - U U^T) gU / S
    }
    if (g.has_gy(2)) {
        const Variable gvt = g.gy(2), vgv = matmul(vt, gvt, false, true);
        inner = sum_of(inner, down * (inverse_differences(s * s) * (vgv - transposed(vgv))));
        gx = sum_of(gx, matmul(u, (gvt - matmul(transposed(vgv), vt)) /
                                      down));  // gV^T (I - V V^T), rows / S
    }
    return {sum_of(matmul(matmul(u, inner), vt), gx)};
}

const OpDef& op_svd = linear_algebra({
    .name = "svd",
    .output_count = 3,
    .differentiable = true,
    .type = svd_type,
    .kernel = run_svd,
    .gradient = svd_gradient,
    .reads = [](int, int) { return Reads{0, 7}; },
    .checks_values = true,
});

Types qr_type(const TypeCall& c) {
    const Type a = matrices(c, 0);
    const int64_t m = rows_of(a.shape), n = columns_of(a.shape);
    const int64_t width = c.attributes.flag("complete") ? m : std::min(m, n);
    const Shape batch = batch_of(a.shape);
    return {{a.dtype, with_matrix(batch, {m, width})}, {a.dtype, with_matrix(batch, {width, n})}};
}

// Walter and Lehmann (2010): (gQ + Q copyltu(R gR^T - gQ^T Q)) R^-T, where copyltu mirrors the
// lower triangle.
Variables qr_gradient(const GradientCall& g) {
    const Shape& of_r = g.y_type(1).shape;
    if (rows_of(of_r) != columns_of(of_r))
        fail<ValueError>("qr: there is no gradient where r is not square, it is {}",
                         to_string(of_r));
    const Variable q = g.y(0), r = g.y(1), gq = g.gy(0);
    const Variable m = matmul(r, g.gy(1), false, true) - matmul(gq, q, true);
    const Variable below = m * triangles(m, rows_of(of_r), 1, 0, 0);
    const Variable mirrored = below + transposed(below) + m * triangles(m, rows_of(of_r), 0, 1, 0);
    return {transposed(solve(r, transposed(gq + matmul(q, mirrored))))};
}

const OpDef& op_qr = linear_algebra({
    .name = "qr",
    .output_count = 2,
    .differentiable = true,
    .type = qr_type,
    .kernel = run_qr,
    .gradient = qr_gradient,
    .reads = [](int, int) { return Reads{0, 3}; },
});

const FunctionDef& f_cholesky = function(
    "cholesky(a)", {"a"}, [](const FunctionArguments& a) { return cholesky(a.array("a")); });
const FunctionDef& f_eigh = function("eigh(a, UPLO='L')", {"a"}, [](const FunctionArguments& a) {
    const Eigh f = eigh(a.array("a"), a.text("UPLO"));
    return Variables{f.w, f.v};
});
const FunctionDef& f_eigvalsh =
    function("eigvalsh(a, UPLO='L')", {"a"},
             [](const FunctionArguments& a) { return eigvalsh(a.array("a"), a.text("UPLO")); });
const FunctionDef& f_svd =
    function("svd(a, full_matrices=True, compute_uv=True)", {"a"}, [](const FunctionArguments& a) {
        const bool all = a.flag("compute_uv");
        const Svd f = svd(a.array("a"), all && a.flag("full_matrices"));
        return OneOrMore(all ? Variables{f.u, f.s, f.vt} : Variables{f.s});
    });
const FunctionDef& f_qr = function("qr(a, mode='reduced')", {"a"}, [](const FunctionArguments& a) {
    const std::string mode = a.text("mode");
    const Qr f = qr(a.array("a"), mode == "r" ? "reduced" : mode);
    return OneOrMore(mode == "r" ? Variables{f.r} : Variables{f.q, f.r});
});

}  // namespace

Variable cholesky(const Operand& a) { return in_working_precision(op_cholesky, a, {})[0]; }

Eigh eigh(const Operand& a, const std::string& uplo) {
    if (uplo != "L" && uplo != "U")
        fail<ValueError>("eigh: uplo is '{}', it should be 'L' or 'U'", uplo);
    const Variables f = in_working_precision(op_eigh, a, {{"uplo", uplo}});
    return {f[0], f[1]};
}
Variable eigvalsh(const Operand& a, const std::string& uplo) { return eigh(a, uplo).w; }

Svd svd(const Operand& a, bool full_matrices) {
    const Variables f = in_working_precision(op_svd, a, {{"full_matrices", full_matrices}});
    return {f[0], f[1], f[2]};
}

Qr qr(const Operand& a, const std::string& mode) {
    if (mode != "reduced" && mode != "complete")
        fail<ValueError>("qr: mode is '{}', it should be 'reduced' or 'complete'", mode);
    const Variables f = in_working_precision(op_qr, a, {{"complete", mode == "complete"}});
    return {f[0], f[1]};
}

}  // namespace catena
