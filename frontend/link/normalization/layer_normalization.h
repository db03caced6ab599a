#pragma once

#include "frontend/link/link.h"

namespace catena {

struct LayerNormalizationOptions {
    /// A small number added to the variance. This is the link's default; the function's is 1e-5, as
    /// in Chainer.
    double eps = 1e-6;
    Initializer initial_gamma = 1.0;
    Initializer initial_beta = 0.0;
};

/// Layer normalisation over the last axis, with learned gamma and beta of its size.
class LayerNormalization : public Link {
public:
    explicit LayerNormalization(std::optional<int64_t> size = std::nullopt,
                                const LayerNormalizationOptions& options = {});
    Variable operator()(const Operand& x);
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;

    Parameter gamma, beta;

private:
    double eps_;
};

}  // namespace catena
