#pragma once

#include "frontend/link/connection/bias.h"

namespace catena {

struct ScaleOptions {
    bool bias_term = false;                ///< Adds a learned Bias.
    std::optional<Shape> bias_shape = {};  ///< Of the bias where there is no learned W; else W's.
};

/// scale(x, W, axis) with a learned W, which begins as 1; or, without a shape, with the second
/// argument of the call.
class Scale : public Link {
public:
    explicit Scale(int64_t axis = 1, const std::optional<Shape>& W_shape = std::nullopt,
                   const ScaleOptions& options = {});
    Variable operator()(const Operand& x);                    ///< ValueError without a learned W.
    Variable operator()(const Operand& x, const Operand& y);  ///< ValueError with one.

    Parameter W;  ///< Empty without a shape.
    std::optional<Bias> bias;

private:
    Variable shifted(const Variable& x);
    int64_t axis_;
};

}  // namespace catena
