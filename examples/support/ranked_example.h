#pragma once

#include <catena/catena.h>

#include <memory>

#include "support/example.h"

namespace examples {

/// A program of several ranks: processes started by mpirun (--communicator), or threads of one
/// process (--local). Its flags and its result are told by rank 0. `--device cuda` gives the n-th
/// rank of a machine its n-th device.
///
///     examples::RankedExample example("Trains ...");
///     return example.run(argc, argv, [&](const std::shared_ptr<ct::Communicator>& comm) {
///     train(example, comm); });
class RankedExample : public Example {
public:
    using Communicator = std::shared_ptr<ct::Communicator>;

    explicit RankedExample(const std::string& description);
    /// Calls `body` on each rank, with the device and the seed. Returns the program's exit status.
    int run(int argc, char** argv, const std::function<void(const Communicator&)>& body);

    /// As Example's; all ranks call them. `value` is rank `teller`'s.
    void print_times(const Communicator& comm, ct::Updater& updater, int count = 10) const;
    void result(const Communicator& comm, const std::string& name, double value, Better better,
                int teller = 0);

private:
    std::string communicator_ = "auto";
    int64_t threads_ = 0;
};

}  // namespace examples
