#pragma once

#include "frontend/link/link.h"

namespace catena {

struct BilinearOptions {
    bool nobias = false;        ///< Leaves out V1, V2 and b.
    Initializer initialW = {};  ///< Initializer of W, V1 and V2; LeCunNormal unless given.
    Initializer initial_V1 = {};
    Initializer initial_V2 = {};
    Initializer initial_bias = 0.0;
};

/// bilinear(e1, e2, W, V1, V2, b) with W [left_size, right_size, out_size], V1 [left_size,
/// out_size], V2 [right_size, out_size] and b [out_size].
class Bilinear : public Link {
public:
    Bilinear(int64_t left_size, int64_t right_size, int64_t out_size,
             const BilinearOptions& options = {});
    Variable operator()(const Operand& e1, const Operand& e2);

    Parameter W, V1, V2, b;

private:
    bool nobias_;
};

}  // namespace catena
