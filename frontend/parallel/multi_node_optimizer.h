#pragma once

#include <memory>
#include <optional>

#include "frontend/optimizer/optimizer.h"
#include "runtime/comm/create.h"

namespace catena {

struct MultiNodeOptimizerOptions {
    /// Updates use the gradients of the iteration before, whose transfer then has a whole
    /// iteration's time. The first update changes nothing.
    bool double_buffering = false;
    /// A parameter without a gradient sends zeros; otherwise it is left out, and must be on every
    /// rank.
    bool zero_fill = true;
    /// What gradients are sent as; the communicator's setting, else their own dtype.
    std::optional<Dtype> allreduce_grad_dtype = {};
    /// Gradients are sent when this much is together; 0: each by itself. By default 0 with "naive",
    /// else 1 MiB.
    std::optional<int64_t> bucket_bytes = {};
    /// Send while backward runs, in the order in which gradients become complete, which must then
    /// be the same on all ranks. False: at the update, in the parameters' order.
    bool overlap = true;
};

/// Makes `optimizer` one of several processes that hold the same model: update() first replaces
/// every gradient by its mean over the ranks. It stays the optimizer it is (hooks, hyperparameters,
/// snapshots, static_graph). Returned for convenience.
///
/// Gradients travel while optimizer.update(lossfun, ...) or optimizer.backward(loss) computes those
/// that come later; after a plain loss.backward() they travel at the update. When the parameters of
/// the ranks differ at the first update (or the first after the set of initialised parameters has
/// changed), those of rank 0 are given to all and that update changes nothing, since its gradients
/// belong to other parameters. The mean is the sum in the order of the ranks, divided.
Optimizer& create_multi_node_optimizer(Optimizer& optimizer,
                                       std::shared_ptr<Communicator> communicator,
                                       const MultiNodeOptimizerOptions& options = {});

/// Parameters of rank 0 for all; ChainerMN's bcast_data.
void bcast_data(Communicator& communicator, Link& model, int root = 0);

/// Replaces every gradient of the model by its mean over the ranks, one after the other and at
/// once; an optimizer of create_multi_node_optimizer() does it faster. Parameters without a
/// gradient are left out, or send zeros.
void multi_node_mean_grad(Communicator& communicator, Link& model, bool zero_fill = false);

}  // namespace catena
