#pragma once

#include "frontend/trainer/extension.h"

namespace catena::extensions {

/// Ends the training in good order at the first SIGINT (Ctrl-C) or SIGTERM: the iteration is finished, snapshots of the
/// trainer are saved, run() returns. A second signal ends the process at once. While the training runs the process's
/// handlers of the two are replaced; finalize() puts them back.
///
/// For one process; ranks that train together have MultiNodeStopOnSignal.
class StopOnSignal : public Extension {
public:
    ~StopOnSignal() override { finalize(); }
    void initialize(Trainer& trainer) override;
    void operator()(Trainer& trainer) override;
    void finalize() override;
    std::string default_name() const override { return "StopOnSignal"; }
    int priority() const override { return -200; }  ///< After everything else of the iteration.

protected:
    /// What counts, given the signal that this process received (0: none).
    virtual int agree(int signal) { return signal; }
    virtual bool tells() const { return true; }  ///< Whether this one says that the training ended.

private:
    bool installed_ = false;
};

}  // namespace catena::extensions
