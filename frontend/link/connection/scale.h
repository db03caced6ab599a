#pragma once

#include "frontend/link/connection/bias.h"

namespace catena {

/// Options of a Scale.
struct ScaleOptions {
    bool bias_term = false;  ///< Whether a learned Bias is added.
    /// Shape of the bias where there is no learned W; otherwise it has W's shape.
    std::optional<Shape> bias_shape = {};
};

/// scale(x, W, axis) with a learned W, which begins as 1; or, without a shape, with the second
/// argument of the call.
class Scale : public Link {
public:
    /// `axis` is the first axis of x that W is aligned with; `W_shape` is W's, or none: W is an
    /// argument of the call.
    explicit Scale(int64_t axis = 1, const std::optional<Shape>& W_shape = std::nullopt,
                   const ScaleOptions& options = {});
    /// x times the learned W; ValueError if there is none.
    Variable operator()(const Operand& x);
    /// x times y; ValueError if there is a learned W.
    Variable operator()(const Operand& x, const Operand& y);

    Parameter W;  ///< The learned factors; empty for a link without a shape.
    /// The bias that is added; none without bias_term.
    std::optional<Bias> bias;

private:
    Variable shifted(const Variable& x);
    int64_t axis_;
};

}  // namespace catena
