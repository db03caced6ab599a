#pragma once

#include "frontend/link/link.h"

namespace catena {

/// prelu(x, W) with learned slopes for negative x (He et al. 2015, arXiv:1502.01852).
class PReLU : public Link {
public:
    /// `shape` is the shape of the slopes: the leading axes of x without its batch axis; by default
    /// one slope for all elements.
    explicit PReLU(const Shape& shape = {}, const Initializer& init = 0.25);
    /// x where x >= 0, elsewhere W x; of x's shape. ShapeError unless W has the sizes of x's
    /// leading axes behind the batch axis.
    Variable operator()(const Operand& x);

    /// The slopes for negative x.
    Parameter W;
};

}  // namespace catena
