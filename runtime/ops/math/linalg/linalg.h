#pragma once

#include <string>

#include "runtime/graph/op/op.h"

namespace catena {

// Linear algebra through LAPACK. Matrices are the last two axes; axes before them are a batch.
// 16-bit floats are computed in float32. On devices these are steps of the host. Gradients are
// compositions of operations and so have gradients.

/// The inverses of square matrices. ValueError with the matrix's number where one is singular.
/// Floats only, as all linear algebra, and LAPACK is needed.
/// - a: (..., n, n).
Variable inv(const Operand& a);
/// inv of (B, n, n) alone; Chainer's function.
/// - a: (B, n, n).
Variable batch_inv(const Operand& a);
/// The determinants of square matrices, (...). The gradient of a singular matrix is an error, as it
/// reads the inverse. Floats only.
/// - a: (..., n, n).
Variable det(const Operand& a);
/// det of (B, n, n) alone, (B); Chainer's function.
/// - a: (B, n, n).
Variable batch_det(const Operand& a);
/// The products of B pairs of matrices, (B, n, m); matmul, which Chainer recommends in its place,
/// does the same.
/// - a: (B, n, k); an array (B, k) is B columns.
/// - b: (B, k, m); an array (B, k) is B columns.
/// - transa: Swap the last two axes of a first.
/// - transb: Swap the last two axes of b first.
Variable batch_matmul(const Operand& a, const Operand& b, bool transa = false, bool transb = false);
/// The x with a x = b. ValueError where a is singular. Floats only.
/// - a: (..., n, n).
/// - b: One vector (n), or matrices (..., n, k), whose first axes broadcast with a's.
Variable solve(const Operand& a, const Operand& b);
/// The Moore-Penrose inverses of matrices, (..., n, m). The gradient is that of matrices of the
/// same rank (Golub and Pereyra 1973). Floats only.
/// - a: (..., m, n).
/// - rcond: Singular values below rcond times the largest count as 0.
Variable pinv(const Operand& a, double rcond = 1e-15);

/// The lower triangular L with L L^T = a, for symmetric positive definite matrices, of which the
/// lower triangle is read; ValueError for others. The gradient is symmetric. Floats only.
/// - a: (..., n, n).
Variable cholesky(const Operand& a);

struct Eigh {
    /// Eigenvalues, ascending, (..., n).
    Variable w;
    /// Eigenvectors in the columns, (..., n, n).
    Variable v;
};
/// Eigenvalues and eigenvectors of symmetric matrices, a = v diag(w) v^T. Where eigenvalues are
/// equal, v has no gradient (it comes out as inf or NaN). Floats only.
/// - a: (..., n, n).
/// - uplo, UPLO: Which triangle is read, "L" or "U".
Eigh eigh(const Operand& a, const std::string& uplo = "L");
/// The eigenvalues of symmetric matrices, ascending, (..., n). Floats only.
/// - a: (..., n, n).
/// - uplo, UPLO: Which triangle is read, "L" or "U".
Variable eigvalsh(const Operand& a, const std::string& uplo = "L");

struct Svd {
    Variable u, s, vt;
};
/// The singular value decomposition a = u diag(s) vt, with s descending, (..., k), where k = min(m,
/// n). Gradients exist without full_matrices, where singular values differ and are not 0. Floats
/// only.
/// - a: (..., m, n).
/// - full_matrices: Whether u is (..., m, m) and vt (..., n, n); else they are (..., m, k) and
///   (..., k, n).
/// - compute_uv: Whether u, s and vt are given; else s alone.
/// - returns: u, s, vt; or s alone, a Variable, without compute_uv.
Svd svd(const Operand& a, bool full_matrices = true);

struct Qr {
    Variable q, r;
};
/// a = q r with orthogonal q and upper triangular r. Differentiable where r is square and regular.
/// Floats only.
/// - a: (..., m, n).
/// - mode: "reduced", q is (..., m, min(m, n)); "complete", q is (..., m, m); by name also "r",
///   which gives r alone.
/// - returns: q, r; or r alone, a Variable, with mode "r".
Qr qr(const Operand& a, const std::string& mode = "reduced");

}  // namespace catena
