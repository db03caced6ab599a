#include "frontend/onnx/importers/shared.h"
#include "runtime/ops/math/einsum.h"

namespace catena::onnx {
namespace {

/// Integers are exact in float64 up to 2^53.
Variable product(const Variable& a, const Variable& b, bool transa = false, bool transb = false) {
    if (is_float(a.dtype())) return matmul(a, b, transa, transb);
    return cast(matmul(in_float64(a), in_float64(b), transa, transb), a.dtype());
}

Variables general_product(const NodeCall& n) {
    const bool transa = n.integer("transA", 0) != 0, transb = n.integer("transB", 0) != 0;
    const double alpha = n.number("alpha", 1), beta = n.number("beta", 1);
    const bool plain = alpha == 1 && beta == 1 && !transa && transb && is_float(n[0].dtype());
    if (plain && n.has(2) && n[2].rank() == 1 && n[2].size() == n[1].shape()[0] && n[0].rank() == 2)
        return {linear(n[0], n[1], n[2])};
    Variable y = product(n[0], n[1], transa, transb);
    if (alpha != 1) y = y * alpha;
    if (n.has(2) && beta != 0) y = y + (beta == 1 ? n[2] : n[2] * beta);
    return {y};
}

Variables einsum_of(const NodeCall& n) {
    std::vector<Variable> operands;
    for (int i = 0; i < n.count(); ++i)
        operands.push_back(is_float(n[i].dtype()) ? n[i] : in_float64(n[i]));
    return {cast(einsum(n.text("equation", ""), operands), n[0].dtype())};
}

/// The determinant by elimination with the largest pivot, in the order of columns.
Variables determinant(const NodeCall& n) {
    const Shape& shape = n[0].shape();
    if (shape.rank() < 2 || shape[shape.rank() - 1] != shape[shape.rank() - 2])
        n.wrong("it takes square matrices");
    const int64_t size = shape.back(), count = n[0].size() / std::max<int64_t>(size * size, 1);
    std::vector<double> a = n[0].array().to_vector<double>(), results;
    for (int64_t m = 0; m < count; ++m) {
        double* matrix = a.data() + m * size * size;
        double product = 1;
        for (int64_t k = 0; k < size; ++k) {
            int64_t pivot = k;
            for (int64_t i = k; i < size; ++i)
                if (std::abs(matrix[i * size + k]) > std::abs(matrix[pivot * size + k])) pivot = i;
            if (pivot != k) {
                std::swap_ranges(matrix + k * size, matrix + (k + 1) * size, matrix + pivot * size);
                product = -product;
            }
            product *= matrix[k * size + k];
            if (matrix[k * size + k] == 0) break;
            for (int64_t i = k + 1; i < size; ++i) {
                const double factor = matrix[i * size + k] / matrix[k * size + k];
                for (int64_t j = k; j < size; ++j)
                    matrix[i * size + j] -= factor * matrix[k * size + j];
            }
        }
        results.push_back(product);
    }
    Shape rest(std::span(shape.begin(), size_t(shape.rank() - 2)));
    return {Variable(Array::from(results, rest).astype(n[0].dtype()), false)};
}

const int importers = add_importers({
    {"MatMul", [](const NodeCall& n) { return Variables{product(n[0], n[1])}; }},
    {"Gemm", general_product},
    {"Einsum", einsum_of},
    {"Det", determinant},
});

}  // namespace
}  // namespace catena::onnx
