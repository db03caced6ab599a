#include <cmath>
#include <numbers>

#include "tests/ops/op_table.h"

namespace catena::testing::fft_rows {
namespace {

/// The sum that defines it, with `sign` in the exponent and a factor.
Truth fourier(int sign, bool mean) {
    return {[=](const References& in) {
        const int64_t n = in[0].dim(in[0].rank() - 1);
        References y{Reference(in[0].shape), Reference(in[0].shape)};
        for (int64_t line = 0; line < in[0].size() / n; ++line)
            for (int64_t k = 0; k < n; ++k)
                for (int64_t j = 0; j < n; ++j) {
                    const double angle =
                        sign * 2 * std::numbers::pi * double(j * k % n) / double(n);
                    const double real = in[0].values[size_t(line * n + j)],
                                 imag = in[1].values[size_t(line * n + j)];
                    const double share = mean ? 1.0 / double(n) : 1;
                    y[0].values[size_t(line * n + k)] +=
                        share * (real * std::cos(angle) - imag * std::sin(angle));
                    y[1].values[size_t(line * n + k)] +=
                        share * (real * std::sin(angle) + imag * std::cos(angle));
                }
        return y;
    }};
}

/// Powers of two and of others, products, and primes that are factors or, like 67 and 134, have a
/// chirp.
std::vector<Row> of_all_sizes() {
    std::vector<Row> made;
    for (int64_t n : {1, 2, 3, 4, 5, 8, 12, 15, 16, 26, 49, 60, 61, 64, 67, 128, 134}) {
        const bool small = n < 6;
        made.push_back(
            {.op = "fft",
             .note = "of_" + std::to_string(n),
             .inputs = {{.shape = {2, n}, .differentiable = small},
                        {.shape = {2, n}, .differentiable = small}},
             .truth = fourier(-1, false),
             .dtypes = small ? float_dtypes() : std::vector{Dtype::float32, Dtype::float64},
             .gradient = small,
             .tolerance = 8});
    }
    return made;
}
const int sizes = add_rows(of_all_sizes());

const int rows = add_rows({
    {.op = "fft",
     .function = "ifft",
     .inputs = {{.shape = {2, 2, 6}}, {.shape = {2, 2, 6}}},
     .truth = fourier(1, true),
     .tolerance = 4,
     .rejects = {{.inputs = {{.shape = {2, 3}}, {.shape = {2, 4}}},
                  .message = "fft: real and imag should be of one type"},
                 {.inputs = {{.shape = {}}, {.shape = {}}},
                  .message = "fft: a last axis of at least one element is needed"},
                 {.inputs = {{.shape = {2, 0}}, {.shape = {2, 0}}},
                  .message = "fft: a last axis of at least one element"}}},
});

Input of_integers(std::vector<double> values, Shape shape) {
    return {.shape = shape, .dtype = Dtype::int32, .values = std::move(values)};
}

/// sum of data[i] at (row[i], col[i]) times b, or their transposed.
Truth sparse_product(int64_t rows, int64_t columns, bool transa, bool transb) {
    return one([=](const References& in) {
        const bool batch = in[0].rank() == 2;
        const int64_t matrices = batch ? in[0].dim(0) : 1, entries = in[0].dim(in[0].rank() - 1);
        const int64_t height = in[3].dim(in[3].rank() - 2), width = in[3].dim(in[3].rank() - 1),
                      n = transb ? height : width;
        const int64_t m = transa ? columns : rows;
        Reference y(batch ? Shape{matrices, m, n} : Shape{m, n});
        for (int64_t b = 0; b < matrices; ++b)
            for (int64_t i = 0; i < entries; ++i) {
                const size_t at = size_t(b * entries + i);
                const auto row = int64_t(in[1].values[at]), col = int64_t(in[2].values[at]);
                if (row < 0) continue;
                const int64_t to = transa ? col : row, from = transa ? row : col;
                for (int64_t j = 0; j < n; ++j) {
                    const int64_t place = transb ? j * width + from : from * width + j;
                    y.values[size_t((b * m + to) * n + j)] +=
                        in[0].values[at] * in[3].values[size_t(b * height * width + place)];
                }
            }
        return y;
    });
}

const int sparse = add_rows({
    {.function = "sparse_matmul",
     .set = {{"shape", "(3, 4)"}},
     .inputs = {{.shape = {5}},
                of_integers({0, 2, 1, 2, 2}, {5}),
                of_integers({3, 0, 1, 0, 2}, {5}),
                {.shape = {4, 2}}},
     .truth = sparse_product(3, 4, false, false),
     .rejects =
         {{.inputs =
               {{.shape = {1}}, of_integers({0}, {1}), of_integers({0}, {1}), {.shape = {3, 2}}},
           .message = "sparse_matmul: a sparse matrix 3 x 4 cannot be multiplied with [3,2]"},
          {.inputs =
               {{.shape = {1}}, of_integers({3}, {1}), of_integers({0}, {1}), {.shape = {4, 2}}},
           .message = "3"}}},
    {.function = "sparse_matmul",
     .note = "transposed",
     .set = {{"shape", "(3, 4)"}, {"transa", "True"}, {"transb", "True"}},
     .inputs = {{.shape = {5}},
                of_integers({0, 2, 1, 2, 2}, {5}),
                of_integers({3, 0, 1, 0, 2}, {5}),
                {.shape = {2, 3}}},
     .truth = sparse_product(3, 4, true, true)},
    {.function = "sparse_matmul",
     .note = "batch",
     .set = {{"shape", "(2, 3)"}},
     .inputs = {{.shape = {2, 3}},
                of_integers({0, 1, -1, 1, 0, 1}, {2, 3}),
                of_integers({2, 0, -1, 1, 1, 2}, {2, 3}),
                {.shape = {2, 3, 2}}},
     .truth = sparse_product(2, 3, false, false)},
});

}  // namespace
}  // namespace catena::testing::fft_rows
