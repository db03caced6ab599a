#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

// Kernels of linear algebra through LAPACK (lapack.h), for float32 and float64: matrices are the
// last two axes, and all axes before them count them. Attributes and outputs are those of the ops
// (runtime/ops/math/linalg/linalg.cpp). ValueError where a matrix has no result, with its number.

void run_inv(const KernelCall& call);
void run_det(const KernelCall& call);
void run_solve(const KernelCall& call);
void run_cholesky(const KernelCall& call);
void run_eigh(const KernelCall& call);
void run_svd(const KernelCall& call);
void run_qr(const KernelCall& call);

}  // namespace catena
