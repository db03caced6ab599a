#include "runtime/comm/local.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "runtime/comm/patience.h"
#include "runtime/comm/collectives/pair_collectives.h"
#include "runtime/comm/collectives/reduce.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/parallel/start_thread.h"
#include "runtime/core/system/per_thread.h"

namespace catena {
namespace {

/// A message that its sender holds until it has been copied.
struct Parcel {
    const void* data;
    size_t bytes;
    bool being_copied = false, taken = false;
};

/// Data shared by the threads of one group.
struct LocalGroup {
    explicit LocalGroup(int size)
        : gone(size_t(size)), failures(size_t(size)), buffers(size_t(size)) {}
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::tuple<int, int, int>, std::deque<Parcel*>>
        mail;  ///< The messages that wait, by source, destination and tag.
    std::map<std::pair<int64_t, int>, std::shared_ptr<LocalGroup>>
        parts;  ///< Being split off: by turn and color.
    std::vector<char> gone;
    std::vector<std::string> failures;  ///< Why each rank has left; "" if it was not an error.
    std::vector<Array> buffers;  ///< The arrays of an all-reduce, kept while others may read them.
    int failed_rank = -1;
    std::string failure;

    void fail_all(int rank, const std::string& reason) {
        std::lock_guard lock(mutex);
        if (failed_rank >= 0) return;
        failed_rank = rank;
        failure = reason;
        for (auto& [key, part] : parts) part->fail_all(rank, reason);
        changed.notify_all();
    }
};

/// Between threads a receiver copies, so root's block has all of them copy at once.
class LocalCollectives final : public PairCollectives {
public:
    using PairCollectives::PairCollectives;
    int64_t broadcast(const char* call, int root, Block block) override {
        return broadcast_directly(call, root, block);
    }
};

class LocalCommunicator final : public Communicator {
public:
    LocalCommunicator(std::shared_ptr<LocalGroup> group, int rank, int size)
        : Communicator(rank, size),
          group_(std::move(group)),
          collectives_(rank, size,
                       [this](const char* call, std::span<const Message> sends,
                              std::span<const Message> receives) {
                           LocalCommunicator::transfer(call, -1, sends, receives);
                       }) {
        share_one_machine();
    }
    ~LocalCommunicator() override {
        close();
        leave();
    }
    std::string name() const override { return "local"; }
    [[noreturn]] void abort(int, const std::string& reason) override {
        group_->fail_all(rank(), reason);
        fail<CommunicationError>("rank {} has aborted the group: {}", rank(), reason);
    }
    LocalGroup& group() { return *group_; }

protected:
    std::shared_ptr<Communicator> make_group(int color, int key) override;
    void transfer(const char* call, int tag, std::span<const Message> sends,
                  std::span<const Message> receives) override;
    Collectives& collectives() override { return collectives_; }
    void reduce_buffer(const char* call, const Array& buffer, Reduction reduction) override;
    void break_off(const std::string& reason, const std::shared_ptr<void>&) override {
        {
            std::lock_guard lock(group_->mutex);
            group_->failures[size_t(rank())] = reason;
        }
        leave();
    }
    void leave() override {
        std::lock_guard lock(group_->mutex);
        group_->gone[size_t(rank())] = 1;
        group_->changed.notify_all();
    }

private:
    void wait_for_all(const char* call);
    /// Ranks that have given up no longer keep their buffers as they were.
    void expect_all_well(const char* call);
    template <class Ready>
    void wait(std::unique_lock<std::mutex>& lock, const char* call, int peer, Ready ready);
    void receive(std::unique_lock<std::mutex>& lock, const char* call, int tag,
                 const Message& message);
    std::shared_ptr<LocalGroup> group_;
    LocalCollectives collectives_;
    int64_t splits_ = 0;
};

template <class Ready>
void LocalCommunicator::wait(std::unique_lock<std::mutex>& lock, const char* call, int peer,
                             Ready ready) {
    LocalGroup& g = *group_;
    auto over = [&] { return ready() || g.failed_rank >= 0 || g.gone[size_t(peer)]; };
    bool in_time = true;
    const auto start = std::chrono::steady_clock::now();
    for (Patience patience; !over() && in_time;) {
        lock.unlock();
        if (patience.wait())
            in_time =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
                communication_timeout();
        lock.lock();
    }
    if (ready()) return;
    if (g.failed_rank >= 0)
        fail<CommunicationError>("{}: rank {} stops because rank {} failed: {}", call, rank(),
                                 g.failed_rank, g.failure);
    if (!in_time)
        fail<CommunicationError>("{}: rank {} has waited {} s for rank {}", call, rank(),
                                 communication_timeout(), peer);
    const std::string& why = g.failures[size_t(peer)];
    fail<CommunicationError>("{}: rank {} waits for rank {}, which has left the group{}{}", call,
                             rank(), peer, why.empty() ? "" : " after an error: ", why);
}

void LocalCommunicator::receive(std::unique_lock<std::mutex>& lock, const char* call, int tag,
                                const Message& message) {
    std::deque<Parcel*>& box = group_->mail[{message.peer, rank(), tag}];
    wait(lock, call, message.peer, [&] { return !box.empty(); });
    Parcel* parcel = box.front();
    if (parcel->bytes != message.bytes)
        fail<CommunicationError>("{}: rank {} sends {} bytes, rank {} expects {}", call,
                                 message.peer, parcel->bytes, rank(), message.bytes);
    box.pop_front();
    parcel->being_copied = true;
    lock.unlock();
    if (message.bytes > 0) std::memcpy(message.data, parcel->data, message.bytes);
    lock.lock();
    parcel->taken = true;
    group_->changed.notify_all();
}

void LocalCommunicator::transfer(const char* call, int tag, std::span<const Message> sends,
                                 std::span<const Message> receives) {
    LocalGroup& g = *group_;
    std::vector<Parcel> parcels;
    for (const Message& m : sends) parcels.push_back({m.data, m.bytes});
    std::unique_lock lock(g.mutex);
    for (size_t i = 0; i < sends.size(); ++i)
        g.mail[{rank(), sends[i].peer, tag}].push_back(&parcels[i]);
    if (!sends.empty()) g.changed.notify_all();
    try {
        for (const Message& m : receives) receive(lock, call, tag, m);
        for (size_t i = 0; i < sends.size(); ++i)
            wait(lock, call, sends[i].peer, [&] { return parcels[i].taken; });
    } catch (...) {
        // Withdraws messages not being copied yet; waits for the others.
        for (size_t i = 0; i < sends.size(); ++i) {
            std::erase(g.mail[{rank(), sends[i].peer, tag}], &parcels[i]);
            g.changed.wait(lock, [&] { return !parcels[i].being_copied || parcels[i].taken; });
        }
        throw;
    }
}

void LocalCommunicator::wait_for_all(const char* call) {
    std::vector<Message> nothing;
    for (int r = 0; r < size(); ++r)
        if (r != rank()) nothing.push_back({r, nullptr, 0});
    transfer(call, -1, nothing, nothing);
}

void LocalCommunicator::expect_all_well(const char* call) {
    std::lock_guard lock(group_->mutex);
    for (int r = 0; r < size(); ++r)
        if (const std::string& why = group_->failures[size_t(r)]; !why.empty())
            fail<CommunicationError>("{}: rank {} has left the group after an error: {}", call, r,
                                     why);
}

/// Sums buffers, of which every thread reads the others' directly.
void LocalCommunicator::reduce_buffer(const char* call, const Array& buffer, Reduction reduction) {
    {
        std::lock_guard lock(group_->mutex);
        group_->buffers[size_t(rank())] = buffer;
    }
    wait_for_all(call);
    std::vector<Array> held;
    {
        std::lock_guard lock(group_->mutex);
        held = group_->buffers;
    }
    std::vector<char*> data;
    for (const Array& each : held) data.push_back(static_cast<char*>(each.raw_data()));
    reduce_together(call, buffer.dtype(), data, rank(), buffer.size(), reduction,
                    [&] { wait_for_all(call); });
    expect_all_well(call);
    count_reduced(buffer);
    std::lock_guard lock(group_->mutex);
    group_->buffers[size_t(rank())] = Array();
}

std::shared_ptr<Communicator> LocalCommunicator::make_group(int color, int key) {
    const int64_t turn = splits_++;
    std::vector<std::tuple<int, int, int>> members;  // Key, rank, color.
    const int wish[2] = {color, key};
    const std::vector<std::string> all =
        allgather_bytes({reinterpret_cast<const char*>(wish), sizeof wish}, "split");
    for (int r = 0; r < size(); ++r) {
        int theirs[2];
        std::memcpy(theirs, all[size_t(r)].data(), sizeof theirs);
        if (theirs[0] == color) members.emplace_back(theirs[1], r, color);
    }
    std::sort(members.begin(), members.end());
    int place = 0;
    while (std::get<1>(members[size_t(place)]) != rank()) ++place;
    if (place == 0 && color >= 0) {
        std::lock_guard lock(group_->mutex);
        group_->parts[{turn, color}] = std::make_shared<LocalGroup>(int(members.size()));
    }
    barrier();
    if (color < 0) return nullptr;
    std::shared_ptr<LocalGroup> part;
    {
        std::lock_guard lock(group_->mutex);
        part = group_->parts.at({turn, color});
    }
    return std::make_shared<LocalCommunicator>(part, place, int(members.size()));
}

constinit PerThread<std::shared_ptr<Communicator>> communicator_of_thread;

}  // namespace

std::shared_ptr<Communicator> local_communicator() {
    std::shared_ptr<Communicator>& of_thread = communicator_of_thread.get();
    if (!of_thread)
        of_thread = std::make_shared<LocalCommunicator>(std::make_shared<LocalGroup>(1), 0, 1);
    return of_thread;
}

void run_local(int size, const std::function<void(const std::shared_ptr<Communicator>&)>& f) {
    if (size < 1) fail<ValueError>("run_local: {} ranks are not possible; use 1 or more", size);
    auto group = std::make_shared<LocalGroup>(size);
    std::vector<std::exception_ptr> errors(static_cast<size_t>(size));
    auto run = [&](int rank) {
        std::shared_ptr<Communicator>& of_thread = communicator_of_thread.get();
        set_thread_count(thread_count());  // OpenMP knows the number by thread.
        try {
            of_thread = std::make_shared<LocalCommunicator>(group, rank, size);
            f(of_thread);
        } catch (const std::exception& error) {
            errors[size_t(rank)] = std::current_exception();
            group->fail_all(rank, error.what());
        } catch (...) {
            errors[size_t(rank)] = std::current_exception();
            group->fail_all(rank, "an unknown exception");
        }
        of_thread.reset();
    };
    std::vector<std::thread> threads;
    threads.reserve(size_t(size));  // Nothing fails between a thread and its place.
    try {
        for (int r = 0; r < size; ++r)
            threads.push_back(start_thread("run_local", [&run, r] { run(r); }));
    } catch (const std::exception& error) {
        const int missing = int(threads.size());
        errors[size_t(missing)] = std::current_exception();
        group->fail_all(missing, error.what());
    }
    for (std::thread& thread : threads) thread.join();
    if (group->failed_rank < 0) return;
    if (errors[size_t(group->failed_rank)])
        std::rethrow_exception(errors[size_t(group->failed_rank)]);
    // Its abort() was caught there.
    fail<CommunicationError>("rank {} has aborted the group: {}", group->failed_rank,
                             group->failure);
}

}  // namespace catena
