#pragma once

#include <optional>

#include "frontend/link/link.h"

namespace catena {

/// bias(x, b, axis) with a learned b, which begins as 0; or, without a shape, with the second
/// argument of the call.
class Bias : public Link {
public:
    /// `axis` is the first axis of x that b is aligned with; `shape` is b's, or none: b is an
    /// argument of the call.
    explicit Bias(int64_t axis = 1, const std::optional<Shape>& shape = std::nullopt);
    /// x plus the learned b; ValueError if there is none.
    Variable operator()(const Operand& x);
    /// x plus y; ValueError if there is a learned b.
    Variable operator()(const Operand& x, const Operand& y);

    Parameter b;  ///< The learned bias; empty for a link without a shape.

private:
    int64_t axis_;
};

}  // namespace catena
