#include "frontend/onnx/importers/shared.h"
#include "runtime/ops/math/linalg/einsum.h"
#include "runtime/ops/math/linalg/linalg.h"

namespace catena::onnx {
namespace {

/// Integers are exact in float64 up to 2^53.
Variable product(const Variable& a, const Variable& b, bool transa = false, bool transb = false) {
    if (is_float(a.dtype())) return matmul(a, b, transa, transb);
    return cast(matmul(in_float64(a), in_float64(b), transa, transb), a.dtype());
}

Variables general_product(const NodeCall& n) {
    const bool transa = n.flag("transA"), transb = n.flag("transB");
    const double alpha = n.number("alpha", 1), beta = n.number("beta", 1);
    const bool plain = alpha == 1 && beta == 1 && !transa && transb && is_float(n[0].dtype());
    if (plain && n.has(2) && n[0].rank() == 2 && n[1].rank() == 2 && n[2].rank() == 1 &&
        n[2].size() == n[1].shape()[0])
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

const int contraction_importers = add_importers({
    Importer("MatMul", [](const NodeCall& n) { return Variables{product(n[0], n[1])}; })
        .with_weights({0, 1}),
    Importer("Gemm", general_product).with_weights({0, 1, 2}),
    Importer("Einsum", einsum_of).of(Role::weight),
    {"Det", [](const NodeCall& n) { return Variables{det(n[0])}; }},
});

}  // namespace
}  // namespace catena::onnx
