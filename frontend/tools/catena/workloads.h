#pragma once

#include "frontend/tools/catena/workload.h"

namespace catena::tool {

// Training iterations of networks.
Iteration prepare_mushroom(Variant variant);
Iteration prepare_mlp(Variant variant);
Iteration prepare_lenet(Variant variant);
Iteration prepare_ptb_lstm_unrolled(Variant variant);

// Functions with their gradients.
Iteration prepare_gelu_chain(Variant variant);
Iteration prepare_layer_norm(Variant variant);
Iteration prepare_softmax_xent(Variant variant);
Iteration prepare_small_ops(Variant variant);
Iteration prepare_one_op(Variant variant);

}  // namespace catena::tool
