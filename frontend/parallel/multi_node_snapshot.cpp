#include "frontend/parallel/multi_node_snapshot.h"

#include <algorithm>

#include "frontend/serializer/memory_archive.h"
#include "runtime/core/device.h"
#include "runtime/graph/recorder.h"

namespace catena {
namespace {

void bcast_one(Communicator& communicator, const Variable& state, int root) {
    Array array = communicator.bcast(state.array(), root);
    state.set_array(array.to(state.array().defined() ? state.device() : current_device()));
}

/// The exception of `f` on rank 0, if any, ends all ranks of the group.
void on_master(Communicator& group, const char* what, const std::function<void()>& f) {
    std::string problem;
    std::exception_ptr error;
    if (group.rank() == 0) {
        try {
            f();
        } catch (const std::exception& e) {
            problem = e.what();
            error = std::current_exception();
        }
    }
    problem = group.bcast_bytes(problem);
    if (error) std::rethrow_exception(error);
    if (!problem.empty())
        fail<CommunicationError>("multi_node_snapshot: the master of this rank cannot {}: {}", what,
                                 problem);
}

}  // namespace

MultiNodeSnapshot::MultiNodeSnapshot(std::shared_ptr<Communicator> communicator,
                                     std::vector<std::vector<int>> sets)
    : communicator_(std::move(communicator)) {
    std::vector<int> set_of(size_t(communicator_->size()), -1);
    for (size_t s = 0; s < sets.size(); ++s)
        for (int rank : sets[s]) {
            if (rank < 0 || rank >= communicator_->size())
                fail<ValueError>("multi_node_snapshot: there is no rank {}; there are 0 to {}",
                                 rank, communicator_->size() - 1);
            if (set_of[size_t(rank)] >= 0)
                fail<ValueError>("multi_node_snapshot: rank {} is in two replica sets", rank);
            set_of[size_t(rank)] = int(s);
        }
    for (int& set : set_of)
        if (set < 0) set = int(sets.size());
    const int own = set_of[size_t(communicator_->rank())];
    master_ = int(std::find(set_of.begin(), set_of.end(), own) - set_of.begin());
    replicas_ = communicator_->split(own, communicator_->rank());
}

std::string MultiNodeSnapshot::file_name(const std::string& name) const {
    return name + "." + std::to_string(master_);
}

void MultiNodeSnapshot::save(const std::string& name,
                             const std::function<void(const std::string&)>& write) const {
    on_master(*replicas_, "save", [&] { write(file_name(name)); });
    communicator_->barrier();
}

void MultiNodeSnapshot::load(const std::string& name,
                             const std::function<void(const std::string&)>& read, Link& model,
                             Optimizer* optimizer) const {
    on_master(*replicas_, "load", [&] { read(file_name(name)); });
    bcast_state(*replicas_, model, optimizer);
}

void MultiNodeSnapshot::spread(const std::function<void()>& load,
                               const SerializeFunction& object) const {
    MemoryArchive state;
    on_master(*replicas_, "load", [&] {
        load();
        save_to(state, object);
    });
    if (replicas_->size() == 1) return;
    std::string bytes = replicas_->bcast_bytes(is_master() ? state.bytes() : "");
    if (!is_master()) load_from(MemoryArchive(bytes, "the state of the master"), object, {});
}

void bcast_state(Communicator& communicator, Link& model, Optimizer* optimizer, int root) {
    RecorderScope paused(nullptr);
    // Which are initialised: root may have loaded parameters that others have not initialised yet.
    auto holding = [&](std::vector<Variable> states) {
        std::string flags;
        for (const Variable& s : states) flags += s.array().defined() ? '1' : '0';
        flags = communicator.bcast_bytes(flags, root);
        if (flags.size() != states.size())
            fail<CommunicationError>("bcast_state: the ranks' models differ");
        for (size_t i = 0; i < states.size(); ++i)
            if (flags[i] == '1') bcast_one(communicator, states[i], root);
    };
    std::vector<Variable> states;
    for (Parameter* param : model.params()) states.push_back(*param);
    for (auto& [path, state] : model.namedpersistents()) states.push_back(*state);
    holding(std::move(states));
    if (!optimizer) return;

    std::string with_moments;
    for (UpdateSlot& slot : optimizer->slots())
        with_moments += char('0' + !slot.moments.empty() + 2 * slot.master.is_initialized());
    with_moments = communicator.bcast_bytes(with_moments, root);
    std::vector<UpdateSlot>::size_type i = 0;
    for (UpdateSlot& slot : optimizer->slots()) {
        const int has = with_moments[i++] - '0';
        if (has & 2) bcast_one(communicator, slot.master, root);
        if (!(has & 1)) continue;
        optimizer->initialize_moments(slot);
        for (State& moment : slot.moments) bcast_one(communicator, moment, root);
    }
    std::vector<int64_t> counters =
        communicator.bcast(Array::from<int64_t>({optimizer->t(), optimizer->epoch()}), root)
            .to_vector<int64_t>();
    optimizer->set_step_count(counters[0]);
    optimizer->set_epoch(counters[1]);
}

}  // namespace catena
