#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontend/optimizer/optimizer.h"
#include "frontend/serializer/serializer.h"
#include "runtime/comm/communicator.h"

namespace catena {

/// Saves and loads for groups of ranks that hold the same state (replica sets). The lowest rank of
/// each set is its master: it writes the file, whose name ends in ".RANK", and sends the loaded
/// state to its replicas.
class MultiNodeSnapshot {
public:
    /// `replica_sets` lists the sets; ranks in none form another set. ValueError for a rank that
    /// does not exist or is in two sets.
    MultiNodeSnapshot(std::shared_ptr<Communicator> communicator,
                      std::vector<std::vector<int>> replica_sets);

    /// Whether this rank saves and loads for its set.
    bool is_master() const { return replicas_->rank() == 0; }
    /// The number of replica sets.
    int set_count() const { return set_count_; }
    /// The communicator of all sets.
    Communicator& communicator() const { return *communicator_; }
    /// The file of this rank's set: name + "." + its master.
    std::string file_name(const std::string& name) const;
    /// Saves: masters call write(file name). Returns when all have finished. A sharded optimizer
    /// that is saved must be given: its moments are gathered first.
    void save(const std::string& name, const std::function<void(const std::string&)>& write,
              Optimizer* optimizer = nullptr) const;
    /// Loads: masters call read(file name), which loads the model and the optimizer; replicas then
    /// receive them.
    void load(const std::string& name, const std::function<void(const std::string&)>& read,
              Link& model, Optimizer* optimizer = nullptr) const;
    /// Masters call load(), which changes the state that `object` serialises; replicas then receive
    /// it.
    void spread(const std::function<void()>& load, const SerializeFunction& object) const;

private:
    std::shared_ptr<Communicator> communicator_, replicas_;
    int master_ = 0, set_count_ = 1;
};

/// Sets of ranks that hold the same state; all ranks that are in none are one more. See
/// MultiNodeSnapshot.
inline MultiNodeSnapshot multi_node_snapshot(std::shared_ptr<Communicator> communicator,
                                             std::vector<std::vector<int>> replica_sets = {}) {
    return MultiNodeSnapshot(std::move(communicator), std::move(replica_sets));
}

/// Sends parameters, persistents and what the optimizer saves (with the loss scale) of rank `root`
/// to all.
void bcast_state(Communicator& communicator, Link& model, Optimizer* optimizer, int root = 0);

}  // namespace catena
