#pragma once

#include <concepts>
#include <memory>
#include <vector>

#include "frontend/parallel/multi_node_snapshot.h"
#include "frontend/trainer/extensions/snapshot/snapshot.h"

namespace catena::extensions {

/// A snapshot of each replica set, taken by its master, whose rank ends the file's name
/// ("snapshot_iter_100.0"). With autoload every master loads the latest file that all masters have
/// and can read, and sends the state to its replicas. All ranks extend their trainers with it.
/// Another number of ranks goes on from the file, too: with all that the ranks have in common, and
/// with iterators that divide what was left of their epoch, or begin it anew. A line of the log
/// says which.
class MultiNodeTrainerSnapshot : public Extension {
public:
    /// Saves `target`; an empty one is the trainer. ValueError as MultiNodeSnapshot.
    MultiNodeTrainerSnapshot(std::shared_ptr<Communicator> communicator,
                             SnapshotOptions options = {},
                             std::vector<std::vector<int>> replica_sets = {},
                             SerializeFunction target = nullptr);
    void resume(Trainer& trainer) override;
    void operator()(Trainer& trainer) override;
    void stopped(Trainer& trainer) override;
    void on_error(Trainer& trainer, const std::exception& error) override;
    void finalize() override;
    /// Saves how many ranks there are; ValueError when a file of another number is loaded in any
    /// other way than by resume().
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return actual_.default_name(); }
    AnyTrigger trigger() const override { return actual_.trigger(); }
    int priority() const override { return actual_.priority(); }

private:
    void resume_all_sets(Trainer& trainer, const SerializeFunction& target);
    void load_file(const std::string& file, const SerializeFunction& target) const;

    MultiNodeSnapshot sets_;
    SnapshotNames names_;  ///< The names of the files of this rank's set.
    SnapshotFormat format_;
    bool autoload_;
    SerializeFunction target_;
    Snapshot actual_;
};

}  // namespace catena::extensions

namespace catena {

/// A snapshot as an extension of a trainer: `multi_node_snapshot(comm,
/// ct::extensions::SnapshotOptions{...})`.
template <std::same_as<extensions::SnapshotOptions> Options>
extensions::MultiNodeTrainerSnapshot multi_node_snapshot(
    std::shared_ptr<Communicator> communicator, Options options,
    std::vector<std::vector<int>> replica_sets = {}) {
    return {std::move(communicator), std::move(options), std::move(replica_sets)};
}

}  // namespace catena
