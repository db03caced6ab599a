#pragma once

#include <optional>
#include <string_view>

#include "runtime/graph/op.h"

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

Variable relu(const Operand& x);  ///< max(0, x); the gradient at 0 is 0.
/// (x, slope = 0.2): x if x >= 0 else slope * x.
inline constexpr functions::LeakyRelu leaky_relu;
/// (x, alpha = 1): x if x > 0 else alpha * (exp(x) - 1).
inline constexpr functions::Elu elu;
/// (x, alpha, scale): scale * elu(x, alpha), by default with the numbers that keep mean 0 and
/// variance 1.
inline constexpr functions::Selu selu;
/// (x, approximate = "none"): x * P(N(0,1) <= x), exact with "none", by tanh with "tanh".
inline constexpr functions::Gelu gelu;
Variable sigmoid(const Operand& x);
Variable silu(const Operand& x);  ///< x * sigmoid(x).
/// x * sigmoid(beta * x); beta has the leading shape of x without its batch axis.
Variable swish(const Operand& x, const Operand& beta);
/// (x, beta = 1): log(1 + exp(beta * x)) / beta without overflow.
inline constexpr functions::Softplus softplus;
/// (x, z = 20): min(max(0, x), z); the gradient is 0 at both ends.
inline constexpr functions::ClippedRelu clipped_relu;
Variable relu6(const Operand& x);
/// min(max(0.2 * x + 0.5, 0), 1).
Variable hard_sigmoid(const Operand& x);
/// Between x_min and x_max; none: no bound. The gradient at a bound is 1.
Variable clip(const Operand& x, const std::optional<Scalar>& x_min,
              const std::optional<Scalar>& x_max);
/// x if x >= 0 else W * x; W has the leading shape of x without its batch axis.
Variable prelu(const Operand& x, const Operand& W);
/// (x, axis = 1): relu(x) and relu(-x), joined along the axis.
inline constexpr functions::Crelu crelu;
/// The largest of each `pool_size` neighbours along the axis.
Variable maxout(const Operand& x, int64_t pool_size, int64_t axis = 1);

}  // namespace catena
