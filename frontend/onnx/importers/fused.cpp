// Operators that ONNX Runtime's optimizer makes of several.
#include "frontend/onnx/importers/shared.h"
#include "runtime/ops/normalization/normalization.h"

namespace catena::onnx {
namespace {

Variable activated(const NodeCall& n, const Variable& x, const std::vector<double>& numbers) {
    const std::string name = n.text("activation", "");
    const auto number = [&](size_t i, double otherwise) {
        return i < numbers.size() ? numbers[i] : otherwise;
    };
    if (name.empty()) return x;
    if (name == "Relu") return relu(x);
    if (name == "Sigmoid") return sigmoid(x);
    if (name == "Tanh") return tanh(x);
    if (name == "LeakyRelu") return leaky_relu(x, number(0, 0.01));
    if (name == "Clip") return clip(x, number(0, -INFINITY), number(1, INFINITY));
    if (name == "HardSigmoid") return clip(x * number(0, 0.2) + number(1, 0.5), 0.0, 1.0);
    n.unsupported("the activation " + name);
}

/// Inputs x, W, b and what is added before the activation.
Variables convolution(const NodeCall& n) {
    std::vector<Variable> inputs{n[0], n[1]};
    if (n.has(2)) inputs.push_back(n[2]);
    const Variable y = n.as("Conv", inputs);
    return {activated(n, n.has(3) ? y + n[3] : y, n.numbers("activation_params"))};
}

Variables general_fused_product(const NodeCall& n) {
    std::vector<double> numbers;
    for (const char* name : {"activation_alpha", "activation_beta", "activation_gamma"})
        if (n.has_attribute(name)) numbers.push_back(n.number(name, 0));
    return {activated(n, n.as("Gemm", n.inputs()), numbers)};
}

Variables fused_product(const NodeCall& n) {
    if (n.flag("transBatchA") || n.flag("transBatchB")) n.unsupported("a transposed batch");
    const double alpha = n.number("alpha", 1);
    // Vectors have no axes to exchange.
    const bool transa = n.flag("transA") && n[0].rank() > 1,
               transb = n.flag("transB") && n[1].rank() > 1;
    const Variable y = matmul(n[0], n[1], transa, transb);
    return {alpha == 1 ? y : y * alpha};
}

Variables biased_gelu(const NodeCall& n) { return {gelu(n[0] + n[1])}; }

Variables fast_gelu(const NodeCall& n) { return {gelu(n.has(1) ? n[0] + n[1] : n[0], "tanh")}; }

Variables quick_gelu(const NodeCall& n) {
    return {n[0] * sigmoid(n[0] * n.number("alpha", 1.702))};
}

/// Inputs x, what is added, gamma, beta and a bias; outputs the result and, fourth, the sum.
Variables skip_layer_norm(const NodeCall& n) {
    Variable total = n[0] + n[1];
    if (n.has(4)) total = total + n[4];
    const Variable beta = n.has(3) ? n[3] : fill(n[2].type(), 0);
    return {layer_normalization(total, n[2], beta, n.number("epsilon", 1e-12)), Variable(),
            Variable(), total};
}

/// Inputs x, what is added, gamma and a bias.
Variables skip_root_mean_square(const NodeCall& n) {
    Variable total = n[0] + n[1];
    if (n.has(3)) total = total + n[3];
    const Variable scale = rsqrt(mean(total * total, -1, true) + n.number("epsilon", 1e-12));
    return {total * scale * n[2], Variable(), Variable(), total};
}

const int fused_importers = add_importers({
    Importer("FusedConv", convolution, microsoft).with_weights({1, 2}),
    Importer("FusedGemm", general_fused_product, microsoft).with_weights({0, 1, 2}),
    Importer("FusedMatMul", fused_product, microsoft).with_weights({0, 1}),
    Importer("TransposeMatMul", fused_product, microsoft).with_weights({0, 1}),
    {"Gelu", [](const NodeCall& n) { return Variables{gelu(n[0])}; }, microsoft},
    Importer("BiasGelu", biased_gelu, microsoft).with_weights({1}),
    Importer("FastGelu", fast_gelu, microsoft).with_weights({1}),
    {"QuickGelu", quick_gelu, microsoft},
    Importer("SkipLayerNormalization", skip_layer_norm, microsoft).with_weights({2, 3, 4}),
    Importer("SkipSimplifiedLayerNormalization", skip_root_mean_square, microsoft)
        .with_weights({2, 3}),
});

}  // namespace
}  // namespace catena::onnx
