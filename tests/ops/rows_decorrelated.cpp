#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::decorrelated_rows {

namespace {

/// A symmetric matrix of two rows: [a b; b c].
struct Two {
    double a, b, c;

    double trace() const { return a + c; }
    double determinant() const { return a * c - b * b; }
    Two inverse() const { return {c / determinant(), -b / determinant(), a / determinant()}; }
    /// Cayley and Hamilton: (m + sqrt(det) 1) / sqrt(trace + 2 sqrt(det)).
    Two root() const {
        const double s = std::sqrt(determinant()), t = std::sqrt(trace() + 2 * s);
        return {(a + s) / t, b / t, (c + s) / t};
    }
};

/// The symmetric part of matrix k.
Two matrix(const Reference& m, int64_t k) {
    return {m.values[size_t(4 * k)],
            (m.values[size_t(4 * k + 1)] + m.values[size_t(4 * k + 2)]) / 2,
            m.values[size_t(4 * k + 3)]};
}
void put(Reference& m, int64_t k, const Two& t) {
    for (int i = 0; i < 4; ++i) m.values[size_t(4 * k + i)] = i == 0 ? t.a : i == 3 ? t.c : t.b;
}

Truth roots() {
    return one([](const References& in) {
        Reference y(in[0].shape);
        for (int64_t k = 0; k < y.size() / 4; ++k) put(y, k, matrix(in[0], k).root().inverse());
        return y;
    });
}

/// x = (det(a) q + adj(a) q adj(a)) / (2 trace(a) det(a)).
Truth solutions() {
    return one([](const References& in) {
        Reference y(in[0].shape);
        for (int64_t k = 0; k < y.size() / 4; ++k) {
            const Two a = matrix(in[0], k), q = matrix(in[1], k), j{a.c, -a.b, a.a};
            const double d = a.determinant(), f = 2 * a.trace() * d;
            const Two t{j.a * (q.a * j.a + q.b * j.b) + j.b * (q.b * j.a + q.c * j.b),
                        j.a * (q.a * j.b + q.b * j.c) + j.b * (q.b * j.b + q.c * j.c),
                        j.b * (q.a * j.b + q.b * j.c) + j.c * (q.b * j.b + q.c * j.c)};
            put(y, k, {(d * q.a + t.a) / f, (d * q.b + t.b) / f, (d * q.c + t.c) / f});
        }
        return y;
    });
}

/// Groups of two channels, whose covariances are matrices of two rows.
Truth whitened(double eps, bool fixed) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        Reference y(x.shape);
        const int64_t groups = x.dim(1) / 2;
        const double count = double(x.size() / x.dim(1));
        for (int64_t g = 0; g < groups; ++g) {
            double mean[2] = {};
            Two covariance{eps, 0, eps};
            const auto each = [&](const auto& f) {
                for_each_index({x.dim(0), x.size() / (x.dim(0) * x.dim(1))}, [&](const Dims& i) {
                    const size_t inner = size_t(x.size() / (x.dim(0) * x.dim(1)));
                    const size_t at = size_t(i[0] * x.dim(1) + 2 * g) * inner + size_t(i[1]);
                    f(at, at + inner);
                });
            };
            each([&](size_t p, size_t q) {
                mean[0] += x.values[p] / count;
                mean[1] += x.values[q] / count;
            });
            each([&](size_t p, size_t q) {
                const double u = x.values[p] - mean[0], v = x.values[q] - mean[1];
                covariance.a += u * u / count;
                covariance.b += u * v / count;
                covariance.c += v * v / count;
            });
            double turn[4];
            const Two root = covariance.root().inverse();
            for (int i = 0; i < 4; ++i) turn[i] = i == 0 ? root.a : i == 3 ? root.c : root.b;
            if (fixed) {
                for (int i = 0; i < 2; ++i) mean[i] = in[1](g, i);
                for (int i = 0; i < 4; ++i) turn[i] = in[2](g, i / 2, i % 2);
            }
            each([&](size_t p, size_t q) {
                const double u = x.values[p] - mean[0], v = x.values[q] - mean[1];
                y.values[p] = turn[0] * u + turn[1] * v;
                y.values[q] = turn[2] * u + turn[3] * v;
            });
        }
        return y;
    });
}

// The second has equal eigenvalues.
const Input positive = {.shape = {2, 2, 2}, .values = {2, 0.5, 0.25, 1, 1.5, 0, 0, 1.5}};

const int rows = add_rows({
    {.op = "inverse_square_root",
     .inputs = {positive},
     .truth = roots(),
     .tolerance = 16,
     .rejects =
         {{.inputs = {{.shape = {2, 3}}},
           .message =
               "inverse_square_root: takes square matrices [..., n, n] of one shape, not [2,3]"}}},
    {.op = "lyapunov",
     .inputs = {positive, {.shape = {2, 2, 2}}},
     .truth = solutions(),
     .tolerance = 16,
     .rejects = {{.inputs = {positive, {.shape = {2, 2}}},
                  .message =
                      "lyapunov: takes square matrices [..., n, n] of one shape, not [2,2]"}}},
    {.function = "decorrelated_batch_normalization",
     .set = {{"groups", "2"}, {"eps", "0.1"}},
     .inputs = {{.shape = {3, 4, 2, 2}}, {.absent = true}, {.absent = true}},
     .truth = whitened(0.1, false),
     .tolerance = 64,
     .rejects =
         {{.set = {{"groups", "3"}},
           .message = "decorrelated_batch_normalization: 3 groups should divide the channels of x "
                      "[N, C, ...], which is "
                      "[3,4,2,2]"},
          {.inputs = {{.shape = {3, 4}}, {.shape = {2, 3}}, {.absent = true}},
           .message =
               "decorrelated_batch_normalization: running_mean should be floating point [2,2]"}}},
    {.function = "fixed_decorrelated_batch_normalization",
     .set = {{"groups", "2"}},
     .inputs = {{.shape = {3, 4, 2}}, {.shape = {2, 2}}, {.shape = {2, 2, 2}}},
     .truth = whitened(0, true),
     .tolerance = 8,
     .rejects = {{.inputs = {{.shape = {3, 4, 2}}, {.shape = {2, 2}}, {.shape = {2, 2}}},
                  .message = "fixed_decorrelated_batch_normalization: projection should be "
                             "floating point [2,2,2]"}}},
});

}  // namespace

}  // namespace catena::testing::decorrelated_rows
