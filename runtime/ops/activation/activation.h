#pragma once

#include <optional>
#include <string_view>

#include "runtime/graph/op/op.h"

namespace catena {

// Elementwise nonlinearities; float dtypes only, but for clip. NaN stays NaN.

// Functions of one Variable with options are objects, so that they keep their defaults where they
// are passed on: `ct::Sequential{ct::Linear{4, 8}, ct::leaky_relu}`. They are called like any
// other: `ct::leaky_relu(x, 0.1)`.
namespace functions {

struct LeakyRelu {
    Variable operator()(const Operand& x, const Scalar& slope = 0.2) const;
};
struct Elu {
    Variable operator()(const Operand& x, const Scalar& alpha = 1.0) const;
};
struct Selu {
    Variable operator()(const Operand& x, double alpha = 1.6732632423543772,
                        double scale = 1.0507009873554805) const;
};
struct Gelu {
    Variable operator()(const Operand& x, std::string_view approximate = "none") const;
};
struct Softplus {
    Variable operator()(const Operand& x, const Scalar& beta = 1.0) const;
};
struct ClippedRelu {
    Variable operator()(const Operand& x, double z = 20.0) const;
};
struct Crelu {
    Variable operator()(const Operand& x, int64_t axis = 1) const;
};

}  // namespace functions

/// max(0, x), elementwise. The gradient at 0 is 0. Floats only.
Variable relu(const Operand& x);
/// (x, slope = 0.2): x where x >= 0, elsewhere slope * x (Maas et al. 2013, "Rectifier
/// Nonlinearities Improve Neural Network Acoustic Models"). The gradient at 0 is `slope`. Floats
/// only.
/// - slope: The factor of negative values.
inline constexpr functions::LeakyRelu leaky_relu;
/// (x, alpha = 1): x where x > 0, elsewhere alpha * (exp(x) - 1) (Clevert et al. 2015, "Fast and
/// Accurate Deep Network Learning by Exponential Linear Units"). The gradient at 0 is `alpha`.
/// Floats only.
/// - alpha: Minus the value that is approached towards -infinity.
inline constexpr functions::Elu elu;
/// (x, alpha, scale): scale * elu(x, alpha). With the default numbers, layers keep the mean 0 and
/// the variance 1 of their inputs (Klambauer et al. 2017, "Self-Normalizing Neural Networks").
/// Floats only.
/// - alpha: As of elu.
/// - scale: The factor of the result.
inline constexpr functions::Selu selu;
/// (x, approximate = "none"): x times the probability that a standard normal number is at most x
/// (Hendrycks and Gimpel 2016, "Gaussian Error Linear Units"), as PyTorch's gelu. Floats only.
/// - approximate: "none", exact by erf, or "tanh", 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715
///   * x^3))).
inline constexpr functions::Gelu gelu;
/// 1 / (1 + exp(-x)), elementwise. Floats only.
Variable sigmoid(const Operand& x);
/// x * sigmoid(x), elementwise: swish with beta 1 (Elfwing et al. 2017, "Sigmoid-Weighted Linear
/// Units"). Floats only.
Variable silu(const Operand& x);
/// x * sigmoid(beta * x), elementwise (Ramachandran et al. 2017, "Searching for Activation
/// Functions"). ShapeError where the sizes do not agree. Floats only.
/// - x: Of shape (N, ...).
/// - beta: Has the leading sizes of x without its batch axis: of shape (C) for x of shape (N, C, H,
///   W), or () for one number.
Variable swish(const Operand& x, const Operand& beta);
/// (x, beta = 1): log(1 + exp(beta * x)) / beta, elementwise, without overflow. Floats only.
/// - beta: The larger, the nearer to relu.
inline constexpr functions::Softplus softplus;
/// (x, z = 20): min(max(0, x), z), elementwise. The gradient is 0 at 0 and at z. Floats only.
/// - z: The upper bound; ValueError unless it is greater than 0.
inline constexpr functions::ClippedRelu clipped_relu;
/// min(max(0, x), 6), elementwise. The gradient is 0 at 0 and at 6. Floats only.
Variable relu6(const Operand& x);
/// min(max(0.2 * x + 0.5, 0), 1), elementwise. The gradient is 0 at both bounds. Floats only.
Variable hard_sigmoid(const Operand& x);
/// min(max(x, x_min), x_max), elementwise, of any dtype. The gradient is 1 within the bounds and at
/// them. ValueError where x_min is greater than x_max.
/// - x_min: The lower bound, a number; none if not given.
/// - x_max: The upper bound, a number; none if not given.
Variable clip(const Operand& x, const std::optional<Scalar>& x_min,
              const std::optional<Scalar>& x_max);
/// x where x >= 0, elsewhere W * x (He et al. 2015, "Delving Deep into Rectifiers"). ShapeError
/// where the sizes do not agree. Floats only.
/// - x: Of shape (N, ...).
/// - W: Has the leading sizes of x without its batch axis: of shape (C) for x of shape (N, C, H,
///   W), or () for one number.
Variable prelu(const Operand& x, const Operand& W);
/// (x, axis = 1): relu(x) and relu(-x) joined along the axis, which is then twice as long (Shang et
/// al. 2016, "Understanding and Improving Convolutional Neural Networks via Concatenated Rectified
/// Linear Units"). Floats only.
/// - axis: Along which the two are joined.
inline constexpr functions::Crelu crelu;
/// The largest of each `pool_size` neighbours along the axis, whose size is divided by `pool_size`
/// (Goodfellow et al. 2013, "Maxout Networks"). ShapeError where pool_size does not divide it.
/// Floats only.
/// - pool_size: How many neighbours make one result.
/// - axis: Along which neighbours are compared.
Variable maxout(const Operand& x, int64_t pool_size, int64_t axis = 1);

}  // namespace catena
