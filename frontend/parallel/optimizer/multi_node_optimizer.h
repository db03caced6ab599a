#pragma once

#include <memory>

#include "frontend/optimizer/optimizer.h"
#include "frontend/parallel/optimizer/multi_node_optimizer_options.h"
#include "runtime/comm/create.h"

namespace catena {

/// Makes `optimizer` one of several processes that hold the same model: update() first replaces
/// every gradient by its mean over the ranks. It stays the optimizer it is (hooks, hyperparameters,
/// snapshots, static_graph). Returned for convenience.
///
/// Gradients are sent while optimizer.update(lossfun, ...) or optimizer.backward(loss) computes
/// further ones; after a plain loss.backward() they are sent at the update. Until the update every
/// rank has its own: what is averaged are the gradients as they are then, whatever was sent before.
/// If they were changed (clipped by hand, another backward()), all are sent once more; that must
/// happen on all ranks or on none. To change the means, use a hook.
///
/// At the first update (of a model; or the first after another parameter was initialised) the ranks
/// must have the same options and parameters of the same types. When the contents of parameters, or
/// the optimizer's state, differ, model and optimizer of rank 0 are copied to all and that update
/// changes nothing, since its gradients belong to other parameters. The mean is the sum in rank
/// order, divided. A loss_scaling() that the optimizer has stays. With options.shard the update
/// itself is divided among the ranks.
Optimizer& create_multi_node_optimizer(Optimizer& optimizer,
                                       std::shared_ptr<Communicator> communicator,
                                       const MultiNodeOptimizerOptions& options = {});

/// Copies the initialised parameters of rank `root` to all; ChainerMN's bcast_data.
void bcast_data(Communicator& communicator, Link& model, int root = 0);

/// Replaces every gradient of the model by its mean over the ranks, one after the other; an
/// optimizer of create_multi_node_optimizer() does it faster. Parameters without a gradient send
/// zeros, or are skipped: then the others must be the same on all ranks.
void multi_node_mean_grad(Communicator& communicator, Link& model, bool zero_fill = false);

}  // namespace catena
