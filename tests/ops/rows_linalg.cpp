#include <cmath>

#include <gtest/gtest.h>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/linalg/linalg.h"
#include "tests/ops/op_table.h"

namespace catena::testing::linalg_rows {
namespace {

// Truths by elimination without pivots' order, and by what decompositions have to give back.

int64_t columns(const Reference& a) { return a.shape[a.rank() - 1]; }
int64_t rows(const Reference& a) { return a.shape[a.rank() - 2]; }
int64_t count(const Reference& a) { return a.size() / std::max<int64_t>(1, rows(a) * columns(a)); }

using Matrix = std::vector<std::vector<double>>;

Matrix matrix(const Reference& a, int64_t number) {
    Matrix m(size_t(rows(a)), std::vector<double>(size_t(columns(a))));
    for (size_t i = 0; i < m.size(); ++i)
        for (size_t j = 0; j < m[i].size(); ++j)
            m[i][j] = a.values[size_t(number * rows(a) * columns(a)) + i * m[i].size() + j];
    return m;
}

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix y(a.size(), std::vector<double>(b[0].size()));
    for (size_t i = 0; i < a.size(); ++i)
        for (size_t k = 0; k < b.size(); ++k)
            for (size_t j = 0; j < b[0].size(); ++j) y[i][j] += a[i][k] * b[k][j];
    return y;
}
Matrix turned(const Matrix& a) {
    Matrix y(a[0].size(), std::vector<double>(a.size()));
    for (size_t i = 0; i < a.size(); ++i)
        for (size_t j = 0; j < a[0].size(); ++j) y[j][i] = a[i][j];
    return y;
}

/// Gauss and Jordan's elimination: x with a x = b, and the determinant of a.
struct Eliminated {
    Matrix x;
    double determinant = 1;
};
Eliminated eliminate(Matrix a, Matrix b) {
    double determinant = 1;
    for (size_t k = 0; k < a.size(); ++k) {
        size_t pivot = k;
        for (size_t i = k; i < a.size(); ++i)
            if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
        if (pivot != k) determinant = -determinant;
        std::swap(a[k], a[pivot]);
        std::swap(b[k], b[pivot]);
        determinant *= a[k][k];
        for (size_t i = 0; i < a.size(); ++i) {
            if (i == k) continue;
            const double factor = a[i][k] / a[k][k];
            for (size_t j = 0; j < a.size(); ++j) a[i][j] -= factor * a[k][j];
            for (size_t j = 0; j < b[i].size(); ++j) b[i][j] -= factor * b[k][j];
        }
    }
    for (size_t k = 0; k < a.size(); ++k)
        for (double& value : b[k]) value /= a[k][k];
    return {b, determinant};
}
Matrix unit(size_t n) {
    Matrix m(n, std::vector<double>(n));
    for (size_t i = 0; i < n; ++i) m[i][i] = 1;
    return m;
}

Reference inverses(const Reference& a) {
    Reference y = a;
    y.values.clear();
    for (int64_t i = 0; i < count(a); ++i)
        for (const auto& row : eliminate(matrix(a, i), unit(size_t(rows(a)))).x)
            y.values.insert(y.values.end(), row.begin(), row.end());
    return y;
}
Reference determinants(const Reference& a) {
    Shape batch;
    for (int i = 0; i + 2 < a.rank(); ++i) batch.push_back(a.shape[i]);
    Reference y(batch);
    for (int64_t i = 0; i < y.size(); ++i)
        y.values[size_t(i)] = eliminate(matrix(a, i), unit(size_t(rows(a)))).determinant;
    return y;
}

void expect_equal(const Matrix& a, const Matrix& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
        for (size_t j = 0; j < a[i].size(); ++j)
            EXPECT_NEAR(a[i][j], b[i][j], tolerance) << i << "," << j;
}
/// 16-bit results carry the rounding of each factor.
constexpr double near = 0.12;
Matrix diagonal(const Reference& d, int64_t number) {
    const size_t n = size_t(d.shape[d.rank() - 1]);
    Matrix m = unit(n);
    for (size_t i = 0; i < n; ++i) m[i][i] = d.values[size_t(number) * n + i];
    return m;
}

Variable symmetric(const Variable& x) { return x + swapaxes(x, -1, -2); }
Variable positive(const Variable& x) {
    const int64_t n = x.shape()[x.rank() - 1];
    std::vector<double> twice;
    for (int64_t i = 0; i < n * n; ++i) twice.push_back(i % (n + 1) == 0 ? 2 : 0);
    return matmul(x, x, false, true) + cast(constant(twice, {n, n}, x), x.dtype());
}

// What reads one triangle is differentiated for matrices that are symmetric: as functions of those.
const FunctionDef& cholesky_of =
    function("test_cholesky(x)", {"x"},
             [](const FunctionArguments& a) { return cholesky(positive(a.array("x"))); });
const FunctionDef& eigh_of =
    function("test_eigh(x, UPLO='L')", {"x"}, [](const FunctionArguments& a) {
        const Eigh f = eigh(symmetric(a.array("x")), a.text("UPLO"));
        return Variables{f.w, f.v};
    });
/// The sign of an eigenvector may turn between two points of a numeric difference.
const FunctionDef& eigh_squares =
    function("test_eigh_squares(x)", {"x"}, [](const FunctionArguments& a) {
        const Eigh f = eigh(symmetric(a.array("x")));
        return Variables{f.w, f.v * f.v};
    });

void is_cholesky_factor(const References& in, const References& out) {
    for (int64_t i = 0; i < count(in[0]); ++i) {
        const Matrix L = matrix(out[0], i), x = matrix(in[0], i);
        Matrix a = product(x, turned(x));
        for (size_t k = 0; k < a.size(); ++k) a[k][k] += 2;
        expect_equal(product(L, turned(L)), a, near);
        for (size_t r = 0; r < L.size(); ++r)
            for (size_t c = r + 1; c < L.size(); ++c) EXPECT_EQ(L[r][c], 0);
    }
}
void are_eigenvectors(const References& in, const References& out) {
    for (int64_t i = 0; i < count(in[0]); ++i) {
        const Matrix x = matrix(in[0], i), w = diagonal(out[0], i), v = matrix(out[1], i);
        Matrix a = x;
        for (size_t r = 0; r < a.size(); ++r)
            for (size_t c = 0; c < a.size(); ++c) a[r][c] += x[c][r];
        expect_equal(product(v, turned(v)), unit(a.size()), near);
        expect_equal(product(a, v), product(v, w), near);
        for (size_t k = 1; k < a.size(); ++k) EXPECT_LE(w[k - 1][k - 1], w[k][k]);
    }
}
void are_singular_values(const References& in, const References& out) {
    for (int64_t i = 0; i < count(in[0]); ++i) {
        Matrix u = matrix(out[0], i), s = diagonal(out[1], i), vt = matrix(out[2], i);
        expect_equal(product(turned(u), u), unit(u[0].size()), near);
        expect_equal(product(vt, turned(vt)), unit(vt.size()), near);
        for (size_t k = 0; k < s.size(); ++k)
            EXPECT_LE(k == 0 ? 0 : s[k][k], k == 0 ? s[0][0] : s[k - 1][k - 1]);
        for (auto& row : u) row.resize(s.size());
        vt.resize(s.size());
        expect_equal(product(product(u, s), vt), matrix(in[0], i), near);
    }
}
void are_q_and_r(const References& in, const References& out) {
    for (int64_t i = 0; i < count(in[0]); ++i) {
        const Matrix q = matrix(out[0], i), r = matrix(out[1], i);
        expect_equal(product(turned(q), q), unit(q[0].size()), near);
        expect_equal(product(q, r), matrix(in[0], i), near);
        for (size_t row = 0; row < r.size(); ++row)
            for (size_t c = 0; c < std::min(row, r[0].size()); ++c) EXPECT_EQ(r[row][c], 0);
    }
}

/// Two regular matrices of 3 x 3, and one of 2 x 2.
const std::vector<double> regular{2,  -1, 0.5, 0.25, 1.5, -1,   1,    0.5, -2,
                                  -1, 2,  0.5, 1.5,  1,   0.25, -0.5, 1,   2};
const std::vector<double> tall{1, 0.5, -1.5, 2, 0.25, 1, 0.5, -1, 2, 1.5, 1, -0.25};

const std::vector<double> one_singular{1, 0, 0, 1, 1, 2, 2, 4};

const int linear = add_rows({
    {.op = "matrix_inverse",
     .function = "inv",
     .inputs = {{.shape = {2, 3, 3}, .values = regular}},
     .truth = one([](const References& in) { return inverses(in[0]); }),
     .tolerance = 4,
     .rejects = {{.inputs = {{.shape = {2, 2, 2}, .values = one_singular}},
                  .message = "matrix_inverse: matrix 1 of 2 is singular: pivot 1 is 0"},
                 {.inputs = {{.shape = {2, 3}}},
                  .message = "matrix_inverse: a should be square matrices, it is [2,3]"}}},
    {.op = "matrix_inverse",
     .function = "batch_inv",
     .inputs = {{.shape = {2, 3, 3}, .values = regular}},
     .truth = one([](const References& in) { return inverses(in[0]); }),
     .tolerance = 4,
     .rejects = {{.inputs = {{.shape = {3, 3}}},
                  .message = "batch_inv: a should be [B,n,n], it is [3,3]"}}},
    {.op = "det",
     .inputs = {{.shape = {2, 3, 3}, .values = regular}},
     .truth = one([](const References& in) { return determinants(in[0]); }),
     .tolerance = 4},
    {.op = "det",
     .function = "batch_det",
     .inputs = {{.shape = {2, 3, 3}, .values = regular}},
     .truth = one([](const References& in) { return determinants(in[0]); }),
     .tolerance = 4,
     .rejects = {{.inputs = {{.shape = {3, 3}}}, .message = "batch_det: a should be [B,n,n]"}}},
    {.function = "batch_matmul",
     .set = {{"transa", "True"}},
     .inputs = {{.shape = {2, 3}, .low = -1, .high = 2},
                {.shape = {2, 3, 4}, .low = -1, .high = 2}},
     .truth = one([](const References& in) {
         Reference y({2, 1, 4});
         for (int64_t i = 0; i < 2; ++i)
             for (int64_t k = 0; k < 3; ++k)
                 for (int64_t j = 0; j < 4; ++j) y(i, 0, j) += in[0](i, k) * in[1](i, k, j);
         return y;
     }),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {3}}, {.shape = {3}}},
                  .message = "batch_matmul: the factors should be [B,m,n]"}}},
    {.function = "squared_difference",
     .inputs = {{.shape = {3, 4}}, {.shape = {3, 4}}},
     .truth = {each([](double a, double b) { return (a - b) * (a - b); }).of}},
    {.op = "solve",
     .inputs = {{.shape = {2, 3, 3}, .values = regular}, {.shape = {2, 3, 2}}},
     .truth = one([](const References& in) {
         Reference y = in[1];
         y.values.clear();
         for (int64_t i = 0; i < 2; ++i)
             for (const auto& row : eliminate(matrix(in[0], i), matrix(in[1], i)).x)
                 y.values.insert(y.values.end(), row.begin(), row.end());
         return y;
     }),
     .tolerance = 4,
     .rejects = {{.inputs = {{.shape = {2, 2, 2}, .values = one_singular}, {.shape = {2}}},
                  .message = "solve: matrix 1 of 2 is singular"},
                 {.inputs = {{.shape = {3, 3}}, {.shape = {2, 1}}},
                  .message = "solve: b should have as many rows as a"},
                 {.inputs = {{.shape = {2, 3, 3}}, {.shape = {4, 3, 1}}},
                  .message = "do not broadcast"}}},
    {.op = "pinv",
     .inputs = {{.shape = {4, 3}, .values = tall}},
     .truth = one([](const References& in) {
         const Matrix a = matrix(in[0], 0);
         Reference y({3, 4});
         y.values.clear();
         for (const auto& row : eliminate(product(turned(a), a), turned(a)).x)
             y.values.insert(y.values.end(), row.begin(), row.end());
         return y;
     }),
     .tolerance = 4},
});

const int decompositions = add_rows({
    {.op = "cholesky",
     .function = "test_cholesky",
     .inputs = {{.shape = {2, 3, 3}, .low = -1, .high = 1}},
     .verify = is_cholesky_factor,
     .tolerance = 4},
    {.op = "cholesky",
     .inputs = {{.shape = {2, 2}, .differentiable = false, .values = {4, 7, 2, 5}}},
     .truth = one([](const References&) { return Reference({2, 2}, {2, 0, 1, 2}); }),
     .gradient = false,
     .rejects =
         {{.inputs = {{.shape = {2, 2}, .values = {1, 2, 2, 1}}},
           .message =
               "cholesky: matrix 0 of 1 is not positive definite: its leading 2 x 2 part is not"}}},
    {.op = "eigh",
     .function = "test_eigh",
     .inputs = {{.shape = {2, 3, 3}, .differentiable = false, .values = regular}},
     .verify = are_eigenvectors,
     .gradient = false},
    {.op = "eigh",
     .function = "test_eigh_squares",
     .inputs = {{.shape = {2, 3, 3}, .values = regular}},
     .verify =
         [](const References&, const References& out) {
             for (size_t i = 0; i < 6; ++i) {
                 const double* column = &out[1].values[i / 3 * 9 + i % 3];
                 EXPECT_NEAR(column[0] + column[3] + column[6], 1, near);
             }
         },
     .tolerance = 4},
    {.op = "eigh",
     .function = "test_eigh",
     .note = "upper",
     .set = {{"UPLO", "'U'"}},
     .inputs = {{.shape = {3, 3}, .values = {regular.begin(), regular.begin() + 9}}},
     .verify = are_eigenvectors,
     .tolerance = 4},
    {.op = "eigh",
     .inputs = {{.shape = {2, 2}, .differentiable = false, .values = {2, 9, 1, 2}}},
     .verify =
         [](const References&, const References& out) {
             const Matrix v = matrix(out[1], 0);
             expect_equal({out[0].values}, {{1, 3}}, near);
             expect_equal(product(product({{2, 1}, {1, 2}}, v), unit(2)),
                          product(v, diagonal(out[0], 0)), near);
         },
     .gradient = false},
    {.op = "eigh",
     .function = "eigvalsh",
     .note = "reads_one_triangle",
     .set = {{"UPLO", "'U'"}},
     .inputs = {{.shape = {2, 2}, .differentiable = false, .values = {2, 1, 9, 2}}},
     .truth = one([](const References&) { return Reference({2}, {1, 3}); }),
     .gradient = false,
     .rejects = {{.set = {{"UPLO", "'X'"}},
                  .message = "eigh: uplo is 'X', it should be 'L' or 'U'"}}},
    {.op = "svd",
     .set = {{"full_matrices", "False"}},
     .inputs = {{.shape = {4, 3}, .values = tall}},
     .verify = are_singular_values,
     .tolerance = 8},
    {.op = "svd",
     .note = "wide",
     .set = {{"full_matrices", "False"}},
     .inputs = {{.shape = {2, 2, 3}, .values = tall}},
     .verify = are_singular_values,
     .tolerance = 8},
    {.op = "svd",
     .note = "full",
     .inputs = {{.shape = {4, 3}, .differentiable = false, .values = tall}},
     .verify = are_singular_values,
     .gradient = false},
    {.op = "qr",
     .inputs = {{.shape = {4, 3}, .values = tall}},
     .verify = are_q_and_r,
     .tolerance = 8},
    {.op = "qr",
     .note = "complete",
     .set = {{"mode", "'complete'"}},
     .inputs = {{.shape = {2, 3, 2}, .differentiable = false, .values = tall}},
     .verify = are_q_and_r,
     .gradient = false,
     .rejects = {{.set = {{"mode", "'raw'"}},
                  .message = "qr: mode is 'raw', it should be 'reduced' or 'complete'"}}},
    {.op = "qr",
     .note = "wide",
     .inputs = {{.shape = {3, 4}, .differentiable = false, .values = tall}},
     .verify = are_q_and_r,
     .gradient = false},
});

}  // namespace
}  // namespace catena::testing::linalg_rows
