#include "runtime/comm/shared_memory.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "runtime/comm/patience.h"
#include "runtime/comm/collectives/reduce.h"
#include "runtime/comm/shared_block.h"
#include "runtime/core/system/notice.h"

namespace catena {
namespace {

using Clock = std::chrono::steady_clock;
static_assert(std::atomic<uint32_t>::is_always_lock_free);

/// One message in transit, in the receiver's memory. Full while the counters differ.
struct Mailbox {
    std::atomic<uint32_t> written{0}, read{0};
    uint32_t bytes = 0;
    alignas(16) char data[SharedMemory::largest_message];
};

/// A rank's shared data; followed by a mailbox per rank.
struct Desk {
    uint64_t nonce = 0;
    std::atomic<uint32_t> abandoned{0};  ///< Whether the rank makes no more calls, after an error.
    Mailbox& from(int rank) {
        return reinterpret_cast<Mailbox*>(reinterpret_cast<char*>(this) + 256)[rank];
    }
    static size_t bytes(int size) { return 256 + size_t(size) * sizeof(Mailbox); }
};

/// Identifies a rank's memory for the others.
struct Address {
    int64_t pid = -1;
    int32_t file = -1;
    int32_t rank = 0;
    uint64_t bytes = 0, nonce = 0;
    std::string text() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
    static Address from(const std::string& text) {
        Address address;
        if (text.size() == sizeof address) std::memcpy(&address, text.data(), sizeof address);
        return address;
    }
};

class MappedGroup final : public SharedMemory {
public:
    MappedGroup(int rank, int size) : rank_(rank), desks_(size_t(size)), pids_(size_t(size)) {
        SharedBlock& own = desks_[size_t(rank)];
        own = make_shared_block(Desk::bytes(size));
        if (!own.data) return;
        new (own.data) Desk;
        for (int r = 0; r < size; ++r) new (&desk(rank).from(r)) Mailbox;
        std::random_device random;
        desk(rank).nonce = uint64_t(random()) << 32 | random();
    }
    ~MappedGroup() override {
        for (SharedBlock& block : desks_) unmap_shared_block(block);
        for (auto& [key, block] : mapped_) unmap_shared_block(block);
    }
    void all_have_met() { close_file(desks_[size_t(rank_)]); }
    void break_off() override { desk(rank_).abandoned.store(1, std::memory_order_release); }

    Address address() {
        const SharedBlock& own = desks_[size_t(rank_)];
        if (!own.data) return {};
        return {getpid(), own.file, rank_, own.bytes, desk(rank_).nonce};
    }
    /// False when a rank's memory is not accessible.
    bool meet(const std::vector<std::string>& addresses) {
        for (int r = 0; r < int(desks_.size()); ++r) {
            Address theirs = Address::from(addresses[size_t(r)]);
            pids_[size_t(r)] = theirs.pid;
            if (r == rank_ && theirs.pid >= 0) continue;
            if (theirs.pid < 0 || theirs.bytes != Desk::bytes(int(desks_.size()))) return false;
            SharedBlock& block = desks_[size_t(r)];
            block = map_shared_block(theirs.pid, theirs.file, theirs.bytes);
            // In another PID namespace that number may belong to another process.
            if (!block.data || desk(r).nonce != theirs.nonce) return false;
        }
        return true;
    }

    void transfer(const char* call, std::span<const Message> sends,
                  std::span<const Message> receives, const Idle& idle) override {
        std::vector<Message> to_send(sends.begin(), sends.end()),
            to_receive(receives.begin(), receives.end());
        auto move = [&] {
            move_all(to_send, [&](const Message& m) { return try_send(m); });
            move_all(to_receive, [&](const Message& m) { return try_receive(call, m); });
            return to_send.empty() && to_receive.empty();
        };
        Patience patience;
        for (Clock::time_point start = Clock::now(); !move();) {
            if (!patience.wait()) continue;
            const std::vector<int> late = peers_of(to_receive, to_send);
            const int abandoned = first_abandoned(late),
                      gone = abandoned < 0 ? idle(late) : abandoned;
            // Its last message may have arrived in the meantime; who is done with it may wait for
            // others that have not left.
            if (gone >= 0 && !move() && is_among(gone, peers_of(to_receive, to_send)))
                fail<CommunicationError>("{}: rank {} waits for rank {}, which has left the group",
                                         call, rank_, gone);
            if (std::chrono::duration<double>(Clock::now() - start).count() >
                communication_timeout())
                give_up(call, late);
        }
    }

    bool reduce(const char* call, const Array& buffer, Reduction reduction,
                const Idle& idle) override {
        if (!mappable_) return false;
        const std::vector<Offer> offers = from_all(call, offer_of(buffer), idle);
        for (const Offer& each : offers)
            if (each.file < 0) return false;
        if (!map_offered(call, offers, idle)) return false;
        std::vector<char*> data;
        for (int r = 0; r < int(desks_.size()); ++r)
            data.push_back(static_cast<char*>(r == rank_ ? buffer.raw_data()
                                                         : peer_data(r, offers[size_t(r)])));
        reduce_together(call, buffer.dtype(), data, rank_, buffer.size(), reduction,
                        [&] { barrier(call, idle); });
        // A rank that has given up no longer keeps its buffer as it was.
        std::vector<int> all(desks_.size());
        std::iota(all.begin(), all.end(), 0);
        if (const int lost = first_abandoned(all); lost >= 0)
            fail<CommunicationError>("{}: rank {} has left the group", call, lost);
        return true;
    }

private:
    struct Offer {
        int32_t file = -1;
        uint32_t unused = 0;
        uint64_t bytes = 0, offset = 0;
    };

    /// The first of the ranks that has been abandoned; -1 when none has.
    int first_abandoned(std::span<const int> ranks) {
        for (int r : ranks)
            if (desk(r).abandoned.load(std::memory_order_acquire)) return r;
        return -1;
    }

    Desk& desk(int rank) { return *static_cast<Desk*>(desks_[size_t(rank)].data); }

    /// Moves what can be moved; messages of one pair keep their order.
    template <class Try>
    void move_all(std::vector<Message>& messages, Try attempt) {
        std::vector<Message> rest;
        for (const Message& m : messages) {
            bool behind = std::any_of(rest.begin(), rest.end(),
                                      [&](const Message& other) { return other.peer == m.peer; });
            if (behind || !attempt(m)) rest.push_back(m);
        }
        messages = std::move(rest);
    }

    bool try_send(const Message& m) {
        Mailbox& box = desk(m.peer).from(rank_);
        const uint32_t number = box.written.load(std::memory_order_relaxed);
        if (box.read.load(std::memory_order_acquire) != number) return false;
        box.bytes = uint32_t(m.bytes);
        if (m.bytes > 0) std::memcpy(box.data, m.data, m.bytes);
        box.written.store(number + 1, std::memory_order_release);
        return true;
    }

    bool try_receive(const char* call, const Message& m) {
        Mailbox& box = desk(rank_).from(m.peer);
        const uint32_t number = box.read.load(std::memory_order_relaxed);
        if (box.written.load(std::memory_order_acquire) == number) return false;
        if (box.bytes != m.bytes)
            fail<CommunicationError>("{}: rank {} sends {} bytes, rank {} expects {}", call, m.peer,
                                     box.bytes, rank_, m.bytes);
        if (m.bytes > 0) std::memcpy(m.data, box.data, m.bytes);
        box.read.store(number + 1, std::memory_order_release);
        return true;
    }

    static std::vector<int> peers_of(const std::vector<Message>& receives,
                                     const std::vector<Message>& sends) {
        std::vector<int> peers;
        for (const auto* messages : {&receives, &sends})
            for (const Message& m : *messages) peers.push_back(m.peer);
        std::sort(peers.begin(), peers.end());
        peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
        return peers;
    }

    static bool is_among(int peer, const std::vector<int>& peers) {
        return std::binary_search(peers.begin(), peers.end(), peer);
    }

    [[noreturn]] void give_up(const char* call, const std::vector<int>& late) {
        fail<CommunicationError>("{}: rank {} has waited {} s for rank {}", call, rank_,
                                 communication_timeout(), fmt::join(late, ", "));
    }

    void barrier(const char* call, const Idle& idle) {
        std::vector<Message> nothing;
        for (int r = 0; r < int(desks_.size()); ++r)
            if (r != rank_) nothing.push_back({r, nullptr, 0});
        transfer(call, nothing, nothing, idle);
    }

    Offer offer_of(const Array& buffer) {
        const SharedBlock block = shared_block_of(*buffer.storage());
        if (!block.data) return {};
        auto offset = static_cast<char*>(buffer.raw_data()) - static_cast<char*>(block.data);
        return {block.file, 0, block.bytes, uint64_t(offset)};
    }

    /// The value `own` of every rank.
    template <class T>
    std::vector<T> from_all(const char* call, T own, const Idle& idle) {
        std::vector<T> all(desks_.size());
        std::vector<Message> sends, receives;
        for (int r = 0; r < int(desks_.size()); ++r) {
            if (r == rank_) continue;
            sends.push_back({r, &own, sizeof own});
            receives.push_back({r, &all[size_t(r)], sizeof own});
        }
        transfer(call, sends, receives, idle);
        all[size_t(rank_)] = own;
        return all;
    }

    /// False on all ranks, now and later, when one of them cannot map what another offers.
    bool map_offered(const char* call, const std::vector<Offer>& offers, const Idle& idle) {
        bool is_new = false;  // On one rank, as on all.
        char mapped = 1;
        for (int r = 0; r < int(offers.size()); ++r) {
            const Offer& offer = offers[size_t(r)];
            if (!offered_.emplace(r, offer.file).second) continue;
            is_new = true;
            if (r == rank_) continue;
            const SharedBlock block = map_shared_block(pids_[size_t(r)], offer.file, offer.bytes);
            if (!block.data) {
                mapped = 0;
                notice_once(
                    fmt::format("{}: rank {} cannot map {} bytes of rank {} ({}); gradients are "
                                "sent as messages",
                                call, rank_, offer.bytes, r, std::strerror(errno)));
            }
            mapped_[{r, offer.file}] = block;
        }
        if (is_new)
            for (char each : from_all(call, mapped, idle)) mappable_ = mappable_ && each;
        return mappable_;
    }

    /// The address of that rank's buffer in this process.
    void* peer_data(int rank, const Offer& offer) const {
        return static_cast<char*>(mapped_.at({rank, offer.file}).data) + offer.offset;
    }

    int rank_;
    std::vector<SharedBlock> desks_;
    std::vector<int64_t> pids_;
    /// The files that ranks have offered so far: the rank and its name of the file.
    std::set<std::pair<int, int>> offered_;
    /// Those of the offered files that belong to others and are mapped, and stay so.
    std::map<std::pair<int, int>, SharedBlock> mapped_;
    bool mappable_ = true;
};

}  // namespace

std::unique_ptr<SharedMemory> SharedMemory::create(int rank, int size, const AllGather& allgather) {
    if (size < 2 || size > largest_group) return nullptr;
    auto group = std::make_unique<MappedGroup>(rank, size);
    const bool met = group->meet(allgather(group->address().text()));
    for (const std::string& answer : allgather(met ? "1" : "0"))
        if (answer != "1") return nullptr;
    group->all_have_met();
    return group;
}

}  // namespace catena
