#pragma once

#include <memory>

#include "frontend/trainer/extensions/stop_on_signal.h"
#include "runtime/comm/communicator.h"

namespace catena::extensions {

/// StopOnSignal for ranks that train together: a signal to any of them ends the training of all
/// after the same iteration, and their snapshots fit together. Extend every rank's trainer with it.
class MultiNodeStopOnSignal final : public StopOnSignal {
public:
    /// The ranks ask each other every `interval` iterations, which costs one message each.
    explicit MultiNodeStopOnSignal(std::shared_ptr<Communicator> communicator, int interval = 10)
        : communicator_(given(std::move(communicator), "MultiNodeStopOnSignal")),
          interval_(interval) {}
    AnyTrigger trigger() const override { return {double(interval_), "iteration"}; }

protected:
    int agree(int signal) override;
    bool tells() const override { return communicator_->rank() == 0; }

private:
    std::shared_ptr<Communicator> communicator_;
    int interval_;
};

}  // namespace catena::extensions
