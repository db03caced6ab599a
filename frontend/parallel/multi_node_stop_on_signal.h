#pragma once

#include <memory>

#include "frontend/trainer/extensions/stop_on_signal.h"
#include "runtime/comm/communicator.h"

namespace catena::extensions {

/// Ends the training of all ranks after the same iteration when any of them receives a signal, so
/// that their snapshots fit together. See StopOnSignal. Extend every rank's trainer with it.
class MultiNodeStopOnSignal final : public StopOnSignal {
public:
    /// Checks for signals every `interval` iterations, which costs each rank one message.
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
