#pragma once

#include <memory>

#include "frontend/link/link.h"
#include "frontend/trainer/extension.h"
#include "runtime/comm/communicator.h"

namespace catena::extensions {

/// Replaces persistent arrays (running statistics) by their mean over the ranks, every epoch before
/// evaluators run. Integers are not averaged.
class AllreducePersistent : public Extension {
public:
    /// The extension for the model's persistent arrays; ValueError for a null communicator.
    AllreducePersistent(Link& model, std::shared_ptr<Communicator> communicator)
        : model_(model), communicator_(given(std::move(communicator), "AllreducePersistent")) {}
    void operator()(Trainer& trainer) override;
    std::string default_name() const override { return "AllreducePersistent"; }
    AnyTrigger trigger() const override { return {1, "epoch"}; }
    int priority() const override { return priority_writer + 1; }

private:
    Link& model_;
    std::shared_ptr<Communicator> communicator_;
};

}  // namespace catena::extensions
