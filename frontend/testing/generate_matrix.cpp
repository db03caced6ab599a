#include "frontend/testing/generate_matrix.h"

#include <algorithm>

#include "frontend/init/initializer.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

std::vector<double> orthonormal(int64_t rows, int64_t columns) {
    return initializers::Orthogonal(1)({Dtype::float64, {rows, columns}}).to_vector<double>();
}

}  // namespace

Array generate_matrix(const Shape& shape, const std::vector<double>& singular_values, Dtype dtype) {
    if (shape.rank() < 2)
        fail<ShapeError>("generate_matrix: a matrix has two axes or more, the shape is {}",
                         to_string(shape));
    const int64_t m = shape[shape.rank() - 2], n = shape[shape.rank() - 1], k = std::min(m, n);
    const int64_t given = int64_t(singular_values.size());
    if (given != k && given != 1)
        fail<ShapeError>("generate_matrix: {} singular values are given, matrices of {} have {}",
                         given, to_string(shape), k);
    const int64_t count = element_count(shape), matrices = count == 0 ? 0 : count / (m * n);
    std::vector<double> values;
    values.reserve(size_t(count));
    for (int64_t i = 0; i < matrices; ++i) {
        const std::vector<double> u = orthonormal(m, k), v = orthonormal(k, n);
        for (int64_t row = 0; row < m; ++row)
            for (int64_t column = 0; column < n; ++column) {
                double sum = 0;
                for (int64_t j = 0; j < k; ++j)
                    sum += u[size_t(row * k + j)] * singular_values[given == 1 ? 0 : size_t(j)] *
                           v[size_t(j * n + column)];
                values.push_back(sum);
            }
    }
    return Array::from(values, shape).astype(dtype);
}

}  // namespace catena
