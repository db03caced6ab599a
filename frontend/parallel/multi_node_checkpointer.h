#pragma once

#include <memory>
#include <optional>
#include <string>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/extension.h"
#include "runtime/comm/communicator.h"

namespace catena::extensions {

struct CheckpointerOptions {
    int cp_interval = 5;    ///< Number of latest iterations of all ranks that are kept.
    int gc_interval = 5;    ///< Older ones are removed when there are this many.
    std::string path = {};  ///< Folder; default: the trainer's.
};

/// The duration of saving.
struct CheckpointStatistics {
    int64_t count = 0;
    double mean_seconds = 0, min_seconds = 0, max_seconds = 0;
};

/// ChainerMN's create_multi_node_checkpointer, which it deprecates: multi_node_snapshot writes a
/// file for each set of equal ranks, and keeps it. Every rank saves its own trainer at every call,
/// as NAME.RANK.ITERATION. A training that ends without an error on any rank removes all of them.
/// Copies are handles of one checkpointer.
class MultiNodeCheckpointer : public Extension {
public:
    /// ValueError for a name that is empty or has a dot or slash in it.
    MultiNodeCheckpointer(std::string name, std::shared_ptr<Communicator> communicator,
                          CheckpointerOptions options = {});

    /// Loads the latest iteration whose files all ranks have and can read, and returns it; none if
    /// no iteration has files of all. FileError on all ranks if none can be read. Call it on all
    /// ranks, before the training.
    std::optional<int64_t> maybe_load(Trainer& trainer, const std::string& path = "");
    /// Saves any object; call it on all ranks.
    void save(const SerializeFunction& target, int64_t iteration);
    CheckpointStatistics get_stats() const;

    void operator()(Trainer& trainer) override;
    void on_error(Trainer& trainer, const std::exception& error) override;
    void finalize() override;
    std::string default_name() const override { return "_MultiNodeCheckpointer"; }
    int priority() const override { return -100; }  ///< After everything that changes values.

private:
    struct Body;
    std::shared_ptr<Body> body_;
};

}  // namespace catena::extensions

namespace catena {

inline extensions::MultiNodeCheckpointer create_multi_node_checkpointer(
    std::string name, std::shared_ptr<Communicator> communicator,
    extensions::CheckpointerOptions options = {}) {
    return {std::move(name), std::move(communicator), std::move(options)};
}

}  // namespace catena
