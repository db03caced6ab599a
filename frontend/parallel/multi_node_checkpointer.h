#pragma once

#include <memory>
#include <optional>
#include <string>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/extension.h"
#include "runtime/comm/communicator.h"

namespace catena::extensions {

/// Options of create_multi_node_checkpointer.
struct CheckpointerOptions {
    /// Number of latest iterations, of all ranks, whose files are not removed.
    int cp_interval = 5;
    int gc_interval = 5;    ///< Number of older iterations at which snapshots are removed.
    std::string path = {};  ///< The folder; by default the trainer's.
    /// Whether all ranks have the same model and optimizer, so that another number of ranks can go
    /// on from rank 0's file; each iterator then goes on as it can, which a line of the log says.
    bool ranks_are_alike = false;
};

/// The durations of saving.
struct CheckpointStatistics {
    /// Number of files that this rank has saved.
    int64_t count = 0;
    /// The seconds that a file took.
    double mean_seconds = 0, min_seconds = 0, max_seconds = 0;
};

/// A checkpointer in which every rank saves its own trainer at every call, as NAME.RANK.ITERATION:
/// ChainerMN's create_multi_node_checkpointer, which is deprecated there in favour of
/// multi_node_snapshot. A training that ends without an error on any rank removes all files. Copies
/// are handles of one checkpointer.
class MultiNodeCheckpointer : public Extension {
public:
    /// A checkpointer with that name. ValueError for a name that is empty or has a dot or slash in
    /// it.
    MultiNodeCheckpointer(std::string name, std::shared_ptr<Communicator> communicator,
                          CheckpointerOptions options = {});

    /// Loads the latest iteration whose files all ranks have and can read, and returns it; none if
    /// no iteration has files of all. FileError on all ranks if none can be read; an error on all
    /// if the latest is of another number of ranks, unless options.ranks_are_alike. Call it on all
    /// ranks, before the training.
    std::optional<int64_t> maybe_load(Trainer& trainer, const std::string& path = "");
    /// Saves any object; call it on all ranks.
    void save(const SerializeFunction& target, int64_t iteration);
    /// The durations of this rank's saving.
    CheckpointStatistics get_stats() const;

    void operator()(Trainer& trainer) override;
    void on_error(Trainer& trainer, const std::exception& error) override;
    void finalize() override;
    /// Saves how many ranks there are.
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return "_MultiNodeCheckpointer"; }
    /// A low priority: after everything that changes values.
    int priority() const override { return -100; }

private:
    struct Body;
    void load_of_rank_0(Trainer& trainer, int64_t iteration);
    std::shared_ptr<Body> body_;
};

}  // namespace catena::extensions

namespace catena {

/// A checkpointer whose files are called NAME.RANK.ITERATION, for all ranks of the communicator.
inline extensions::MultiNodeCheckpointer create_multi_node_checkpointer(
    std::string name, std::shared_ptr<Communicator> communicator,
    extensions::CheckpointerOptions options = {}) {
    return {std::move(name), std::move(communicator), std::move(options)};
}

}  // namespace catena
