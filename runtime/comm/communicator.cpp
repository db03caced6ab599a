#include "runtime/comm/communicator.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <limits>
#include <mutex>

#include "runtime/comm/communicator_state.h"
#include "runtime/comm/collectives/pair_collectives.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/fork.h"
#include "runtime/graph/call/recorder.h"

namespace catena {
namespace {

/// The largest group in which sums are in rank order unless set_sums() says otherwise: each rank
/// then sends 2 (ranks - 1) messages for a sum.
constexpr int largest_in_rank_order = 16;

struct Directory {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::map<int64_t, Communicator*> members;
    int64_t next = 0;
};
Directory& directory() {
    static Directory* all = new Directory;  // Communicators may outlive other statics.
    return *all;
}

Variable order_state() {
    RecorderScope unseen(nullptr);
    DeviceScope host(cpu_device());
    Variable state(Array::scalar<int64_t>(0), false);
    state.body()->is_state = true;
    state.set_array(state.array());
    state.set_name("communicator_order");
    return state;
}

}  // namespace

Communicator& communicator_of(int64_t id) {
    Directory& all = directory();
    std::lock_guard lock(all.mutex);
    auto found = all.members.find(id);
    if (found == all.members.end())
        fail<CommunicationError>("the communicator {} of this program does not exist any more", id);
    return *found->second;
}

Communicator::Communicator(int rank, int size)
    : rank_(rank), size_(size), order_(order_state()), background_(new Background) {
    Directory& all = directory();
    std::lock_guard lock(all.mutex);
    id_ = all.next++;
    all.members[id_] = this;
}

Communicator::~Communicator() {
    Directory& all = directory();
    std::lock_guard lock(all.mutex);
    all.members.erase(id_);
}

void Communicator::close() {
    Background& b = *background_;
    if (b.completions) {  // It needs the thread, which has to give it all work before.
        std::promise<void> idle;
        b.thread->post([&idle] { idle.set_value(); });
        idle.get_future().wait();
        b.completions.reset();
    }
    if (b.thread) b.thread->finish();
    b.thread.reset();
}

void Communicator::finalize() {
    if (finalized_) return;
    close();
    finalized_ = true;
    if (failure().empty()) leave();
}

std::string Communicator::failure() const {
    std::lock_guard lock(background_->mutex);
    return background_->failure;
}

void Communicator::check_usable(const char* call) const {
    if (finalized_) fail<CommunicationError>("{}: the communicator has been finalized", call);
    if (const std::string first = failure(); !first.empty())
        fail<CommunicationError>(
            "{}: this communicator of rank {} has ended with an earlier error; make another one. "
            "The error: {}",
            call, rank_, first);
}

void Communicator::give_up(const std::string& reason, const std::shared_ptr<void>& memory) {
    {
        std::lock_guard lock(background_->mutex);
        if (background_->failure.empty()) background_->failure = reason;
    }
    using BothMemories = std::pair<std::shared_ptr<void>, std::shared_ptr<void>>;
    break_off(reason, std::make_shared<BothMemories>(memory, collectives().take_memory_in_use()));
}

void Communicator::break_off_by(Communicator& other, const std::string& reason,
                                const std::shared_ptr<void>& memory) {
    other.give_up(reason, memory);
}

int Communicator::largest_tag() const { return std::numeric_limits<int>::max(); }

const std::string& Communicator::get_config(const std::string& name) const {
    static const std::string& none = *new std::string;
    auto found = config_.find(name);
    return found == config_.end() ? none : found->second;
}

CommunicatorStatistics Communicator::statistics() const {
    std::lock_guard lock(background_->mutex);
    return background_->statistics;
}

void Communicator::count(std::span<const Message> sends) {
    int64_t bytes = 0;
    for (const Message& m : sends) bytes += int64_t(m.bytes);
    count(bytes);
}

void Communicator::count(int64_t bytes) {
    bool background = background_->thread && background_->thread->is_this_thread();
    std::lock_guard lock(background_->mutex);
    background_->statistics.bytes_sent += bytes;
    if (background) background_->statistics.background_bytes += bytes;
}

void Communicator::check_peer(const char* call, int rank) const {
    if (rank < 0 || rank >= size_)
        fail<ValueError>("{}: there is no rank {}; there are 0 to {}", call, rank, size_ - 1);
}

void Communicator::set_config(const std::string& name, const std::string& value) {
    config_[name] = value;
}

void Communicator::transfer_by(Communicator& other, const char* call, int tag,
                               std::span<const Message> sends, std::span<const Message> receives) {
    other.transfer(call, tag, sends, receives);
}

std::shared_ptr<Communicator> Communicator::split(int color, int key) {
    std::shared_ptr<Communicator> part = make_group(color, key);
    if (part) part->background_->sums = background_->sums;
    return part;
}

Sums Communicator::sums() const { return background_->sums ? *background_->sums : usual_sums(); }

Sums Communicator::usual_sums() const {
    return size_ <= largest_in_rank_order ? Sums::rank_order : Sums::engine;
}

void Communicator::set_sums(std::optional<Sums> sums) { background_->sums = sums; }

Collectives& Communicator::collectives() {
    std::unique_ptr<Collectives>& own = background_->collectives;
    if (!own)
        own = std::make_unique<PairCollectives>(
            rank_, size_,
            [this](const char* call, std::span<const Message> sends,
                   std::span<const Message> receives) { transfer(call, -1, sends, receives); });
    return *own;
}

Device& Communicator::near_device() const { return cpu_device(); }

std::shared_ptr<Communicator> given(std::shared_ptr<Communicator> communicator,
                                    std::string_view who) {
    if (!communicator)
        fail<ValueError>("{}: its communicator is null; create_communicator() makes one", who);
    return communicator;
}

}  // namespace catena
