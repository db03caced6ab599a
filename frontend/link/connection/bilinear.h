#pragma once

#include "frontend/link/link.h"

namespace catena {

/// Options of a Bilinear.
struct BilinearOptions {
    bool nobias = false;        ///< Leaves out V1, V2 and b.
    Initializer initialW = {};  ///< Initializer of W, V1 and V2; LeCunNormal unless given.
    /// Initializer of V1.
    Initializer initial_V1 = {};
    /// Initializer of V2.
    Initializer initial_V2 = {};
    /// Initializer of b.
    Initializer initial_bias = 0.0;
};

/// bilinear(e1, e2, W, V1, V2, b) with W [left_size, right_size, out_size], V1 [left_size,
/// out_size], V2 [right_size, out_size] and b [out_size].
class Bilinear : public Link {
public:
    /// A layer for e1 with left_size elements in a row and e2 with right_size.
    Bilinear(int64_t left_size, int64_t right_size, int64_t out_size,
             const BilinearOptions& options = {});
    /// e1 [N, left_size] and e2 [N, right_size] give [N, out_size].
    Variable operator()(const Operand& e1, const Operand& e2);

    /// The weights: of both inputs together, of each, and the bias; the last three are empty with
    /// nobias.
    Parameter W, V1, V2, b;

private:
    bool nobias_;
};

}  // namespace catena
