#include "frontend/parallel/optimizer/multi_node_optimizer.h"

#include "frontend/optimizer/loss_scaling.h"
#include "frontend/parallel/agreement.h"
#include "frontend/parallel/optimizer/bucket_exchange.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"

namespace catena {

Optimizer& create_multi_node_optimizer(Optimizer& optimizer,
                                       std::shared_ptr<Communicator> communicator,
                                       const MultiNodeOptimizerOptions& options) {
    if (options.allreduce_grad_dtype && !is_float(*options.allreduce_grad_dtype))
        fail<ValueError>("create_multi_node_optimizer: gradients are sent as floats, not as {}",
                         name_of(*options.allreduce_grad_dtype));
    auto exchange = std::make_shared<BucketExchange>(std::move(communicator), options);
    if (auto* scaling = dynamic_cast<LossScaling*>(optimizer.exchange().get()))
        scaling->set_between(std::move(exchange));
    else
        optimizer.set_exchange(std::move(exchange));
    return optimizer;
}

void bcast_data(Communicator& communicator, Link& model, int root) {
    NamedStates states;
    for (const auto& [path, param] : model.namedparams()) states.emplace_back(path, *param);
    bcast_states(communicator, "bcast_data", states, root);
}

/// Averages states of the ranks, one after the other.
static void average(Communicator& communicator, Link& model, bool zero_fill) {
    const auto no_graph = no_backprop_mode();
    TransferPlace place = TransferPlace::first;
    for (const auto& [path, param] : model.namedparams(false)) {
        Variable gradient = param->grad_variable();
        if (!gradient.defined()) {
            if (!zero_fill) continue;
            const DeviceScope beside(param->device());
            gradient = fill(param->type(), 0);
        }
        const Transfer transfer = start_transfer(communicator, std::span(&gradient, 1),
                                                 std::span(&path, 1), gradient.dtype(), place);
        param->set_grad_variable(wait_transfer(communicator, transfer)[0]);
        place = TransferPlace::later;
    }
    if (place == TransferPlace::first)
        wait_transfer(communicator, start_transfer(communicator, {}, {}, Dtype::float32, place));
}

void multi_node_mean_grad(Communicator& communicator, Link& model, bool zero_fill) {
    with_note(
        "this was in multi_node_mean_grad(): without zero_fill the ranks must have gradients of "
        "the same parameters",
        [&] { average(communicator, model, zero_fill); });
}

}  // namespace catena
