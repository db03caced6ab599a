#include "runtime/cpu/linalg/lapack_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/core/array/array.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/linalg/lapack.h"

namespace catena {
namespace {

// A row-major matrix is, to LAPACK, the transposed one. Where that does not matter, or where the
// wanted result is transposed as well, nothing is moved; elsewhere `transposed` copies.

struct MatrixBatch {
    int64_t count = 1;
    int rows = 0, columns = 0;
    int64_t size() const { return int64_t(rows) * columns; }
};

MatrixBatch batch_of_matrices(const Array& a) {
    MatrixBatch m;
    for (int i = 0; i + 2 < a.rank(); ++i) m.count *= a.dim(i);
    m.rows = int(a.dim(a.rank() - 2));
    m.columns = int(a.dim(a.rank() - 1));
    return m;
}

/// Calls f(LAPACK's routines, the matrices of the first input) in their precision.
template <class F>
void with_lapack(const KernelCall& call, F&& f) {
    const MatrixBatch m = batch_of_matrices(call.inputs[0]);
    if (call.inputs[0].dtype() == Dtype::float32)
        f(lapack<float>(call.op.name), m);
    else
        f(lapack<double>(call.op.name), m);
}

/// Calls f(number of the matrix), which returns LAPACK's info, and throws by `explain(info)` for
/// the first that fails. Small matrices are spread over the threads; large ones are so by LAPACK
/// itself.
template <class F, class Explain>
void for_each_matrix(const std::string& op, const MatrixBatch& m, F&& f, Explain&& explain) {
    std::vector<int> info(size_t(m.count), 0);
    const int64_t work = std::max<int64_t>(1, m.size() * std::max(m.rows, m.columns));
    const int64_t grain = work > (int64_t(1) << 21) ? m.count : (int64_t(1) << 16) / work + 1;
    parallel_for(m.count, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) info[size_t(i)] = f(i);
    });
    for (int64_t i = 0; i < m.count; ++i)
        if (info[size_t(i)] != 0)
            fail<ValueError>("{}: matrix {} of {} {}", op, i, m.count, explain(info[size_t(i)]));
}

std::string no_convergence(int info) {
    return info < 0 ? "has elements that are no numbers" : "does not converge";
}
std::string singular(int info) { return fmt::format("is singular: pivot {} is 0", info - 1); }

/// `to` [columns, rows] from `from` [rows, columns].
template <class T>
void transposed(const T* from, T* to, int64_t rows, int64_t columns) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
}

/// LAPACK's pivots are found by comparisons, which skip NaN: some elements of a result would look
/// as if they did not depend on it.
template <class T>
bool has_nan(const T* x, int64_t count) {
    return std::any_of(x, x + count, [](T v) { return std::isnan(v); });
}

/// The size that LAPACK asks for, given as a T: above 2^24 float32 may have rounded it down.
template <class T>
int workspace_size(T wanted) {
    return int(std::nextafter(wanted, std::numeric_limits<T>::infinity()));
}

template <class T>
T* copy_to_output(const KernelCall& call, int output) {
    const Array from = call.inputs[0].as_contiguous();
    T* to = call.outputs[size_t(output)].to_fill<T>();
    std::copy_n(from.elements<T>(), from.size(), to);
    return to;
}

}  // namespace

void run_inv(const KernelCall& call) {
    with_lapack(call, [&]<class T>(const Lapack<T>& routines, const MatrixBatch& m) {
        const int n = m.rows, lwork = std::max(1, 64 * n);
        T* y = copy_to_output<T>(call, 0);
        if (n == 0) return;
        for_each_matrix(
            call.op.name, m,
            [&](int64_t i) {
                std::vector<int> pivots(static_cast<size_t>(n));
                std::vector<T> work(static_cast<size_t>(lwork));
                int info = 0;
                if (has_nan(y + i * m.size(), m.size())) {
                    std::fill_n(y + i * m.size(), m.size(), T(NAN));
                    return info;
                }
                routines.getrf(&n, &n, y + i * m.size(), &n, pivots.data(), &info);
                if (info == 0)
                    routines.getri(&n, y + i * m.size(), &n, pivots.data(), work.data(), &lwork,
                                   &info);
                return info;
            },
            singular);
    });
}

void run_det(const KernelCall& call) {
    with_lapack(call, [&]<class T>(const Lapack<T>& routines, const MatrixBatch& m) {
        const Array a = call.inputs[0].as_contiguous();
        const T* x = a.elements<T>();
        T* y = call.outputs[0].to_fill<T>();
        const int n = m.rows;
        for_each_matrix(
            call.op.name, m,
            [&](int64_t i) {
                std::vector<int> pivots(static_cast<size_t>(n));
                std::vector<T> lu(x + i * m.size(), x + (i + 1) * m.size());
                int info = 0;
                if (n > 0) routines.getrf(&n, &n, lu.data(), &n, pivots.data(), &info);
                T product = 1;
                for (int k = 0; k < n; ++k)
                    product *= pivots[size_t(k)] == k + 1 ? lu[size_t(k) * size_t(n + 1)]
                                                          : -lu[size_t(k) * size_t(n + 1)];
                y[i] = product;
                return std::min(info, 0);  // a singular matrix has the determinant 0
            },
            no_convergence);
    });
}

void run_solve(const KernelCall& call) {
    with_lapack(call, [&]<class T>(const Lapack<T>& routines, const MatrixBatch& m) {
        const MatrixBatch right = batch_of_matrices(call.inputs[1]);
        const Array a = call.inputs[0].as_contiguous(), b = call.inputs[1].as_contiguous();
        const T *left = a.elements<T>(), *given = b.elements<T>();
        T* y = call.outputs[0].to_fill<T>();
        const int n = m.rows, columns = right.columns;
        if (right.size() == 0) return;
        for_each_matrix(
            call.op.name, m,
            [&](int64_t i) {
                std::vector<int> pivots(static_cast<size_t>(n));
                std::vector<T> lu(left + i * m.size(), left + (i + 1) * m.size()),
                    x(size_t(right.size()));
                transposed(given + i * right.size(), x.data(), n, columns);
                int info = 0;
                if (has_nan(lu.data(), m.size())) {
                    std::fill_n(y + i * right.size(), right.size(), T(NAN));
                    return info;
                }
                routines.getrf(&n, &n, lu.data(), &n, pivots.data(), &info);
                if (info == 0)
                    routines.getrs("T", &n, &columns, lu.data(), &n, pivots.data(), x.data(), &n,
                                   &info, 1);
                transposed(x.data(), y + i * right.size(), columns, n);
                return info;
            },
            singular);
    });
}

void run_cholesky(const KernelCall& call) {
    with_lapack(call, [&]<class T>(const Lapack<T>& routines, const MatrixBatch& m) {
        T* y = copy_to_output<T>(call, 0);
        const int n = m.rows;
        if (n == 0) return;
        for_each_matrix(
            call.op.name, m,
            [&](int64_t i) {
                T* L = y + i * m.size();
                int info = 0;
                routines.potrf("U", &n, L, &n, &info, 1);
                for (int r = 0; r < n; ++r) std::fill(L + r * n + r + 1, L + (r + 1) * n, T(0));
                for (int r = 0; r < n && info == 0; ++r)
                    if (std::isnan(L[r * n + r])) info = r + 1;  // Compared with 0 it passes.
                return info;
            },
            [](int info) {
                return fmt::format("is not positive definite: its leading {0} x {0} part is not",
                                   info);
            });
    });
}

void run_eigh(const KernelCall& call) {
    with_lapack(call, [&]<class T>(const Lapack<T>& routines, const MatrixBatch& m) {
        T* w = call.outputs[0].to_fill<T>();
        T* v = copy_to_output<T>(call, 1);
        const int n = m.rows;
        if (n == 0) return;
        const char* triangle = call.attributes.text("uplo") == "L" ? "U" : "L";
        for_each_matrix(
            call.op.name, m,
            [&](int64_t i) {
                T* a = v + i * m.size();
                T wanted = 0;
                int integers = 0, query = -1, info = 0;
                routines.syevd("V", triangle, &n, a, &n, w + i * n, &wanted, &query, &integers,
                               &query, &info, 1, 1);
                const int lwork = workspace_size(wanted);
                std::vector<T> work(static_cast<size_t>(lwork)), vectors(size_t(m.size()));
                std::vector<int> iwork(static_cast<size_t>(integers));
                routines.syevd("V", triangle, &n, a, &n, w + i * n, work.data(), &lwork,
                               iwork.data(), &integers, &info, 1, 1);
                transposed(a, vectors.data(), n, n);
                std::copy(vectors.begin(), vectors.end(), a);
                return info;
            },
            no_convergence);
    });
}

void run_svd(const KernelCall& call) {
    with_lapack(call, [&]<class T>(const Lapack<T>& routines, const MatrixBatch& m) {
        const Array a = call.inputs[0].as_contiguous();
        const T* x = a.elements<T>();
        T* u = call.outputs[0].to_fill<T>();
        T* s = call.outputs[1].to_fill<T>();
        T* vt = call.outputs[2].to_fill<T>();
        const bool full = call.attributes.flag("full_matrices");
        const int rows = m.rows, columns = m.columns, k = std::min(rows, columns);
        const int of_u = full ? rows : k, of_vt = full ? columns : k;
        if (k == 0) {
            const int64_t sizes[] = {int64_t(rows) * of_u, int64_t(of_vt) * columns};
            for (int64_t i = 0; i < m.count; ++i) {  // the other factor is any orthogonal matrix
                std::fill_n(u + i * sizes[0], sizes[0], T(0));
                std::fill_n(vt + i * sizes[1], sizes[1], T(0));
                for (int r = 0; r < of_u; ++r) u[i * sizes[0] + r * (of_u + 1)] = 1;
                for (int r = 0; r < of_vt; ++r) vt[i * sizes[1] + r * (columns + 1)] = 1;
            }
            return;
        }
        for_each_matrix(
            call.op.name, m,
            [&](int64_t i) {
                std::vector<T> copy(x + i * m.size(), x + (i + 1) * m.size());
                std::vector<int> iwork(static_cast<size_t>(8 * k));
                T wanted = 0;
                int query = -1, info = 0;
                T* left = vt + i * of_vt * columns;  // of the transposed matrix
                T* right = u + i * of_u * rows;
                const auto run = [&](T* work, const int* lwork) {
                    routines.gesdd(full ? "A" : "S", &columns, &rows, copy.data(), &columns,
                                   s + i * k, left, &columns, right, &of_u, work, lwork,
                                   iwork.data(), &info, 1);
                };
                run(&wanted, &query);
                const int lwork = workspace_size(wanted);
                std::vector<T> work(static_cast<size_t>(lwork));
                run(work.data(), &lwork);
                return info;
            },
            no_convergence);
    });
}

void run_qr(const KernelCall& call) {
    with_lapack(call, [&]<class T>(const Lapack<T>& routines, const MatrixBatch& m) {
        const Array a = call.inputs[0].as_contiguous();
        const T* x = a.elements<T>();
        T* q = call.outputs[0].to_fill<T>();
        T* r = call.outputs[1].to_fill<T>();
        const int rows = m.rows, columns = m.columns, k = std::min(rows, columns);
        const int width = call.attributes.flag("complete") ? rows : k;  // of Q
        for_each_matrix(
            call.op.name, m,
            [&](int64_t i) {
                std::vector<T> f(size_t(rows) * size_t(std::max(columns, width)) + 1),
                    tau(size_t(k) + 1);
                transposed(x + i * m.size(), f.data(), rows, columns);
                const int lead = std::max(1, rows), lwork = 64 * std::max({1, columns, width});
                std::vector<T> work(static_cast<size_t>(lwork));
                int info = 0;
                routines.geqrf(&rows, &columns, f.data(), &lead, tau.data(), work.data(), &lwork,
                               &info);
                T* upper = r + i * width * columns;
                for (int row = 0; row < width; ++row)
                    for (int c = 0; c < columns; ++c)
                        upper[row * columns + c] =
                            c < row ? T(0) : f[size_t(c) * size_t(rows) + size_t(row)];
                if (info == 0)
                    routines.orgqr(&rows, &width, &k, f.data(), &lead, tau.data(), work.data(),
                                   &lwork, &info);
                transposed(f.data(), q + i * rows * width, width, rows);
                return info;
            },
            no_convergence);
    });
}

}  // namespace catena
