#pragma once

#include "frontend/trainer/extension.h"

namespace catena::extensions {

/// Ends the training gracefully at the first SIGINT (Ctrl-C) or SIGTERM: the iteration is finished,
/// snapshots of the trainer are saved, run() returns. A second signal ends the process at once.
/// During the training it replaces the process's signal handlers; finalize() restores them.
///
/// For one process; ranks that train together have MultiNodeStopOnSignal.
class StopOnSignal : public Extension {
public:
    ~StopOnSignal() override { finalize(); }
    void initialize(Trainer& trainer) override;
    void operator()(Trainer& trainer) override;
    void finalize() override;
    std::string default_name() const override { return "StopOnSignal"; }
    /// The lowest priority: after all other extensions.
    int priority() const override { return -200; }

protected:
    /// The signal that the training obeys, given the one that this process received (0: none).
    virtual int agree(int signal) { return signal; }
    /// Whether this process prints that the training ended.
    virtual bool tells() const { return true; }

private:
    bool installed_ = false;
};

}  // namespace catena::extensions
