#pragma once

#include <catena/catena.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace examples {

/// This rank's part of a dataset that every rank can read: in an order that `seed` determines,
/// parts of equal length.
inline catena::Dataset part_of(const catena::Dataset& dataset, catena::Communicator& comm,
                               uint64_t seed) {
    const auto [begin, end] = catena::scatter_index(dataset.size(), comm);
    return catena::SubDataset(dataset, begin, end,
                              catena::random_permutation(dataset.size(), int64_t(seed)));
}

/// What the trainers of all ranks have in common: a snapshot after every `snapshot_epochs`, a good
/// end after a signal, and on rank 0 the log. Without `resume` the training begins anew; otherwise
/// it goes on from the newest snapshot in `out`.
inline void extend_on_ranks(catena::Trainer& trainer,
                            const std::shared_ptr<catena::Communicator>& comm, bool resume,
                            const std::vector<std::string>& columns, double snapshot_epochs = 1) {
    namespace extensions = catena::extensions;
    trainer.extend(catena::multi_node_snapshot(
                       comm, extensions::SnapshotOptions{.n_retains = 1, .autoload = resume}),
                   {.trigger = {snapshot_epochs, "epoch"}});
    trainer.extend(extensions::MultiNodeStopOnSignal(comm));
    if (comm->rank() > 0) return;
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::PrintReport(columns));
}

}  // namespace examples
