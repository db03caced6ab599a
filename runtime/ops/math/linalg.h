#pragma once

#include <string>

#include "runtime/graph/op.h"

namespace catena {

// Linear algebra through LAPACK. Matrices are the last two axes; axes before them are a batch.
// 16-bit floats are computed in float32. On devices these are steps of the host. Gradients are
// compositions of operations and so have gradients.

/// The inverses of square matrices. ValueError with the matrix's number where one is singular.
Variable inv(const Operand& a);
Variable batch_inv(const Operand& a);  ///< Of [B,n,n] alone, as Chainer has it.
/// The determinants of square matrices; the gradient of a singular one is an error, as it reads the
/// inverse.
Variable det(const Operand& a);
Variable batch_det(const Operand& a);  ///< Of [B,n,n] alone.
/// Products of [B,m,n] matrices; an array [B,m] is B columns. As matmul, which Chainer recommends
/// in its place.
Variable batch_matmul(const Operand& a, const Operand& b, bool transa = false, bool transb = false);
/// x with a x = b; b is one vector [n], or matrices [...,n,k] whose batch broadcasts with a's.
/// ValueError where a is singular.
Variable solve(const Operand& a, const Operand& b);
/// The Moore-Penrose inverse [...,n,m] of a [...,m,n]: singular values below rcond times the
/// largest count as 0. Its gradient is that of matrices of the same rank (Golub and Pereyra 1973).
Variable pinv(const Operand& a, double rcond = 1e-15);

/// The lower triangular L with L L^T = a, for symmetric positive definite a, whose lower triangle
/// is read; ValueError otherwise. The gradient is symmetric.
Variable cholesky(const Operand& a);

struct Eigh {
    Variable w;  ///< Eigenvalues, ascending, [...,n].
    Variable v;  ///< Eigenvectors in the columns.
};
/// a = v diag(w) v^T for symmetric a, of which the triangle `uplo` ("L" or "U") is read. Where
/// eigenvalues are equal, v has no gradient (it comes out as inf or NaN).
Eigh eigh(const Operand& a, const std::string& uplo = "L");
Variable eigvalsh(const Operand& a, const std::string& uplo = "L");

struct Svd {
    Variable u, s, vt;
};
/// a [...,m,n] = u diag(s) vt with s descending. Without full_matrices u is [...,m,k] and vt is
/// [...,k,n], k = min(m, n); only then there are gradients, for singular values that differ and are
/// not 0.
Svd svd(const Operand& a, bool full_matrices = true);

struct Qr {
    Variable q, r;
};
/// a [...,m,n] = q r, r upper triangular: q is [...,m,min(m,n)], or [...,m,m] in mode "complete".
/// Differentiable where r is square and regular.
Qr qr(const Operand& a, const std::string& mode = "reduced");

}  // namespace catena
