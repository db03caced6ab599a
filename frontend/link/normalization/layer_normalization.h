#pragma once

#include "frontend/link/link.h"

namespace catena {

/// Options of a LayerNormalization.
struct LayerNormalizationOptions {
    /// A small number added to the variance. This is the link's default; the function's is 1e-5, as
    /// in Chainer.
    double eps = 1e-6;
    /// Initializer of gamma.
    Initializer initial_gamma = 1.0;
    /// Initializer of beta.
    Initializer initial_beta = 0.0;
};

/// Layer normalisation over the last axis, with learned gamma and beta of its size.
class LayerNormalization : public Link {
public:
    /// A layer for rows of `size` elements; none: of as many as the first input has.
    explicit LayerNormalization(std::optional<int64_t> size = std::nullopt,
                                const LayerNormalizationOptions& options = {});
    /// x [..., size] gives a result of the same shape.
    Variable operator()(const Operand& x);
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;

    /// The learned factors and the numbers that are added, [size].
    Parameter gamma, beta;

private:
    double eps_;
};

}  // namespace catena
