#pragma once

#include <memory>
#include <optional>
#include <string>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/extension.h"
#include "runtime/comm/communicator.h"

namespace catena::extensions {

struct CheckpointerOptions {
    int cp_interval = 5;    ///< How many iterations are kept, the youngest that all ranks have.
    int gc_interval = 5;    ///< Others are removed when there are this many more.
    std::string path = {};  ///< Folder; the trainer's unless given.
};

/// How long saving took.
struct CheckpointStatistics {
    int64_t count = 0;
    double mean_seconds = 0, min_seconds = 0, max_seconds = 0;
};

/// ChainerMN's create_multi_node_checkpointer, which it deprecates: multi_node_snapshot writes a
/// file for each set of equal ranks, and keeps it. Here every rank saves its own trainer whenever
/// it is called, as NAME.RANK.ITERATION. A training that ends without an error on any rank removes
/// all of them. Copies are handles of one checkpointer.
class MultiNodeCheckpointer : public Extension {
public:
    /// ValueError for a name that is empty or has a dot or slash in it.
    MultiNodeCheckpointer(std::string name, std::shared_ptr<Communicator> communicator,
                          CheckpointerOptions options = {});

    /// Loads the youngest iteration that all ranks have, and returns it; nothing when there is
    /// none. On all ranks together, before the training.
    std::optional<int64_t> maybe_load(Trainer& trainer, const std::string& path = "");
    /// Of any object; on all ranks together.
    void save(const SerializeFunction& target, int64_t iteration);
    CheckpointStatistics get_stats() const;

    void operator()(Trainer& trainer) override;
    void on_error(Trainer& trainer, const std::exception& error) override;
    void finalize() override;
    std::string default_name() const override { return "_MultiNodeCheckpointer"; }
    int priority() const override { return -100; }  ///< After everything that changes.

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
