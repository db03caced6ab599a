#pragma once

#include "frontend/link/link.h"

namespace catena {

/// Options of a GroupNormalization.
struct GroupNormalizationOptions {
    /// A small number added to variances, against division by 0.
    double eps = 1e-5;
    /// Initializer of gamma.
    Initializer initial_gamma = 1.0;
    /// Initializer of beta.
    Initializer initial_beta = 0.0;
};

/// group_normalization(x, groups, gamma, beta) of x [N, C, ...], with learned gamma and beta [C]
/// (Wu and He 2018, arXiv:1803.08494).
class GroupNormalization : public Link {
public:
    /// `size` is the number of channels; without it, it is taken from the first input.
    explicit GroupNormalization(int64_t groups, std::optional<int64_t> size = std::nullopt,
                                const GroupNormalizationOptions& options = {});
    /// x [N, C, ...] gives a result of the same shape; ShapeError unless the groups divide C.
    Variable operator()(const Operand& x);

    /// The learned factors and the numbers that are added, [C].
    Parameter gamma, beta;

private:
    void initialize(int64_t channels);
    int64_t groups_;
    double eps_;
};

}  // namespace catena
