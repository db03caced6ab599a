#pragma once

#include "frontend/tools/catena/workload.h"

namespace catena::tool {

// Training iterations of networks.
Iteration prepare_mushroom(Variant variant, int64_t divisor);
Iteration prepare_mlp(Variant variant, int64_t divisor);
Iteration prepare_lenet(Variant variant, int64_t divisor);
Iteration prepare_ptb_lstm_unrolled(Variant variant, int64_t divisor);

// Functions with their gradients.
Iteration prepare_gelu_chain(Variant variant, int64_t divisor);
Iteration prepare_layer_norm(Variant variant, int64_t divisor);
Iteration prepare_softmax_xent(Variant variant, int64_t divisor);
Iteration prepare_small_ops(Variant variant, int64_t divisor);
Iteration prepare_one_op(Variant variant, int64_t divisor);

}  // namespace catena::tool
