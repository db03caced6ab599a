#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

Variables leaky(const NodeCall& n) { return {leaky_relu(n[0], n.number("alpha", 0.01))}; }
Variables exponential(const NodeCall& n) { return {elu(n[0], n.number("alpha", 1.0))}; }
Variables scaled_exponential(const NodeCall& n) {
    return {selu(n[0], n.number("alpha", 1.67326319217681884765625),
                 n.number("gamma", 1.05070102214813232421875))};
}
Variables continuous_exponential(const NodeCall& n) {
    const double alpha = n.number("alpha", 1.0);
    return {maximum(n[0], 0) + minimum(alpha * expm1(n[0] / alpha), 0)};
}
Variables thresholded(const NodeCall& n) { return {where(n[0] > n.number("alpha", 1.0), n[0], 0)}; }
Variable hard(const Variable& x, double alpha, double beta) {
    return clip(x * alpha + beta, 0.0, 1.0);
}
Variables hard_swish(const NodeCall& n) { return {n[0] * hard(n[0], 1.0 / 6, 0.5)}; }
Variables softened(const NodeCall& n) { return {n[0] / (1 + absolute(n[0]))}; }
Variables self_gated(const NodeCall& n) { return {n[0] * sigmoid(n[0] * n.number("alpha", 1.0))}; }
Variables mish(const NodeCall& n) { return {n[0] * tanh(softplus(n[0]))}; }

Variables shrink(const NodeCall& n) {
    const double bias = n.number("bias", 0), lambda = n.number("lambd", 0.5);
    const Variable x = is_float(n[0].dtype()) ? n[0] : cast(n[0], Dtype::float64);
    return {cast(where(x < -lambda, x + bias, where(x > lambda, x - bias, 0)), n[0].dtype())};
}

/// Bounds are attributes before opset 11.
Variables bounded(const NodeCall& n) {
    Variable y = n[0];
    if (n.opset() < 11) {
        if (n.has_attribute("min")) y = maximum(y, n.number("min", 0));
        if (n.has_attribute("max")) y = minimum(y, n.number("max", 0));
        return {y};
    }
    if (n.has(1)) y = maximum(y, n[1]);
    if (n.has(2)) y = minimum(y, n[2]);
    return {y};
}

/// f(x, axis) of a node along its axis; before opset 13 all axes from `axis` on are one.
template <class F>
Variable along_axis(const NodeCall& n, F&& f) {
    const Variable& x = n[0];
    const int axis = n.axis("axis", n.opset() < 13 ? 1 : -1, x.rank());
    if (n.opset() >= 13) return f(x, axis);
    Shape flat{1, 1};
    for (int i = 0; i < x.rank(); ++i) flat[i < axis ? 0 : 1] *= x.shape()[i];
    return reshape(f(reshape(x, flat), 1), x.shape());
}

Variables softmax_like(const NodeCall& n, bool log) {
    if (n[0].rank() == 0) return {log ? n[0] - n[0] : exp(n[0] - n[0])};
    return {along_axis(n, [&](const Variable& x, int axis) {
        return log ? log_softmax(x, axis) : softmax_of(x, axis);
    })};
}

Variables hard_maximum(const NodeCall& n) {
    return {along_axis(n, [](const Variable& x, int axis) {
        return moveaxis(one_hot(argmax(x, axis), x.shape()[axis], x.dtype()), x.rank() - 1, axis);
    })};
}

const int activation_importers = add_importers({
    {"LeakyRelu", leaky},
    Importer("PRelu", directly).with_weights({1}),
    {"Elu", exponential},
    {"Selu", scaled_exponential},
    {"Celu", continuous_exponential},
    {"ThresholdedRelu", thresholded},
    {"HardSigmoid",
     [](const NodeCall& n) {
         return Variables{hard(n[0], n.number("alpha", 0.2), n.number("beta", 0.5))};
     }},
    {"HardSwish", hard_swish},
    {"Softsign", softened},
    {"Softplus", [](const NodeCall& n) { return Variables{softplus(n[0])}; }},
    {"Swish", self_gated},
    {"Mish", mish},
    {"Gelu",
     [](const NodeCall& n) {
         return Variables{gelu(n[0], n.choice("approximate", {"none", "tanh"}))};
     }},
    {"Shrink", shrink},
    {"Clip", bounded},
    {"Softmax", [](const NodeCall& n) { return softmax_like(n, false); }},
    {"LogSoftmax", [](const NodeCall& n) { return softmax_like(n, true); }},
    {"Hardmax", hard_maximum},
});

}  // namespace
}  // namespace catena::onnx
