#include "frontend/parallel/multi_node_snapshot.h"

#include <algorithm>
#include <set>

#include "frontend/optimizer/gather_moments.h"
#include "frontend/parallel/agreement.h"
#include "frontend/serializer/memory_archive.h"
#include "runtime/graph/call/recorder.h"

namespace catena {
namespace {

constexpr const char* saving = "multi_node_snapshot: the master of this rank cannot save";
constexpr const char* loading = "multi_node_snapshot: the master of this rank cannot load";

}  // namespace

MultiNodeSnapshot::MultiNodeSnapshot(std::shared_ptr<Communicator> communicator,
                                     std::vector<std::vector<int>> sets)
    : communicator_(given(std::move(communicator), "multi_node_snapshot")) {
    std::vector<int> set_of(size_t(communicator_->size()), -1);
    for (size_t s = 0; s < sets.size(); ++s)
        for (int rank : sets[s]) {
            if (rank < 0 || rank >= communicator_->size())
                fail<ValueError>("multi_node_snapshot: there is no rank {}; there are 0 to {}",
                                 rank, communicator_->size() - 1);
            if (set_of[size_t(rank)] >= 0)
                fail<ValueError>(
                    "multi_node_snapshot: rank {} is in two replica sets; each rank should be in "
                    "one",
                    rank);
            set_of[size_t(rank)] = int(s);
        }
    for (int& set : set_of)
        if (set < 0) set = int(sets.size());
    set_count_ = int(std::set<int>(set_of.begin(), set_of.end()).size());
    const int own = set_of[size_t(communicator_->rank())];
    master_ = int(std::find(set_of.begin(), set_of.end(), own) - set_of.begin());
    replicas_ = communicator_->split(own, communicator_->rank());
}

std::string MultiNodeSnapshot::file_name(const std::string& name) const {
    return name + "." + std::to_string(master_);
}

void MultiNodeSnapshot::save(const std::string& name,
                             const std::function<void(const std::string&)>& write,
                             Optimizer* optimizer) const {
    if (optimizer) gather_moments(*optimizer);
    on_root(*replicas_, saving, [&] { write(file_name(name)); });
    communicator_->barrier();
}

void MultiNodeSnapshot::load(const std::string& name,
                             const std::function<void(const std::string&)>& read, Link& model,
                             Optimizer* optimizer) const {
    on_root(*replicas_, loading, [&] { read(file_name(name)); });
    bcast_state(*replicas_, model, optimizer);
}

void MultiNodeSnapshot::spread(const std::function<void()>& load,
                               const SerializeFunction& object) const {
    MemoryArchive state;
    on_root(*replicas_, loading, [&] {
        load();
        save_to(state, object);
    });
    if (replicas_->size() == 1) return;
    std::string bytes = replicas_->bcast_bytes(is_master() ? state.bytes() : "");
    if (!is_master()) load_from(MemoryArchive(bytes, "the state of the master"), object, {});
}

void bcast_state(Communicator& communicator, Link& model, Optimizer* optimizer, int root) {
    const RecorderScope paused(nullptr);
    NamedStates states;
    for (const auto& [path, param] : model.namedparams()) states.emplace_back(path, *param);
    for (const auto& [path, state] : model.namedpersistents()) states.emplace_back(path, *state);
    bcast_states(communicator, "bcast_state", states, root);
    if (!optimizer) return;
    // As a file holds it, so that nothing of it is forgotten.
    const SerializeFunction object = [&](const Serializer& s) { optimizer->serialize(s); };
    const bool at_root = communicator.rank() == root;
    // Where each rank has a part of the moments.
    const bool is_saved_by_all =
        communicator.bcast_bytes(has_parts(*optimizer) ? "parts" : "", root) == "parts";
    MemoryArchive own;
    if (at_root || is_saved_by_all) save_to(own, object);
    const std::string bytes = communicator.bcast_bytes(at_root ? own.bytes() : "", root);
    if (!at_root)
        load_from(MemoryArchive(bytes, fmt::format("the optimizer of rank {}", root)), object, {});
}

}  // namespace catena
