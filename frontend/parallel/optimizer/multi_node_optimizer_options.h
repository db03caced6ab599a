#pragma once

#include <cstdint>
#include <optional>

#include "runtime/core/dtype/dtype.h"

namespace catena {

/// Options of create_multi_node_optimizer.
struct MultiNodeOptimizerOptions {
    /// Whether updates use the gradients of the previous iteration, whose transfer then overlaps
    /// with a whole iteration. The first update changes nothing.
    bool double_buffering = false;
    /// Whether a parameter without a gradient sends zeros. False: it is skipped, on all ranks
    /// alike; if one rank has its gradient and another has not, that is an error.
    bool zero_fill = true;
    /// The dtype in which gradients are sent; by default the communicator's setting, else their
    /// own.
    std::optional<Dtype> allreduce_grad_dtype = {};
    /// The size, in bytes, up to which gradients are collected before sending; 0: each is sent
    /// separately. By default 0 with "naive", else 1 MiB.
    std::optional<int64_t> bucket_bytes = {};
    /// Whether gradients are sent while optimizer.backward(loss) runs, in the order in which they
    /// become complete, which must then be equal on all ranks. False: at the update, in the
    /// parameters' order.
    bool overlap = true;
    /// Whether each rank updates a part of every parameter, and has moments and float32 masters of
    /// that part alone (ZeRO stages 1 and 2). Parameters get the same bits as without it where sums
    /// are in rank order. Parameters have no gradients after an update, and all ranks save the
    /// optimizer together; see docs/distributed.md.
    bool shard = false;
};

}  // namespace catena
