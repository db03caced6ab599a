#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "runtime/comm/collectives/message.h"
#include "runtime/comm/tcp/line.h"
#include "runtime/comm/tcp/meeting.h"

namespace catena {

/// The connections of a rank to others, each made when the two first talk.
///
/// **Who connects.** The rank that has something to send; one that has waited a moment for a
/// message, too, so that it notices when the other is gone. When both call each other at once, the
/// call of the lower rank is taken and that of the higher one refused. Calls are answered while
/// this rank waits in a transfer, or in another's by lost_among().
///
/// **Who is lost.** A connection that ends, or a rank at whose port nobody listens, has left the
/// group. Whoever notices it tells all with whom it has a connection, and they tell theirs. Since
/// every rank keeps one to its parent in the binomial tree (to the next ancestor, when that one is
/// lost), all hear of it, also those that were never connected with the lost one.
class Lines {
public:
    using Message = CommunicatorMessage;
    /// Messages that nobody has asked for are kept up to that many bytes, and left to the network
    /// beyond them.
    static constexpr size_t most_kept = size_t(1) << 30;

    explicit Lines(MetRanks meeting);
    ~Lines();
    Lines(const Lines&) = delete;

    /// Sends and receives messages, as the transfer() of a Communicator.
    void transfer(const char* call, int tag, std::span<const Message> sends,
                  std::span<const Message> receives);
    /// Does what can be done without waiting; returns one of these ranks that has left the group,
    /// or -1.
    int lost_among(std::span<const int> ranks);
    /// Tells the others that this rank makes no more transfers. They can read what it has sent.
    void break_off();
    void leave();

    const Endpoint& endpoint(int rank) const { return endpoints_[size_t(rank)]; }
    const std::string& key() const { return reception_.key(); }
    const std::string& host() const { return host_; }
    /// How many ranks this one is connected with.
    int open() const;

private:
    /// What transfer() has to do.
    struct Transfer {
        const char* call;
        int tag;
        std::span<const Message> receives;
        std::vector<char> started;  ///< Whether each receive has started.
        size_t left;                ///< Receives that are not done.
        std::vector<int> peers;     ///< The ranks of the transfer.
        bool moved = false;         ///< Bytes of its messages since that was last asked.
    };
    void finish(Transfer& transfer);
    bool connect_and_flush(Transfer& transfer, bool waits_long);
    [[noreturn]] void give_up(const Transfer& transfer) const;
    void round(int milliseconds);
    void keep_tree();
    void call(int peer);
    void advance_call(int peer);
    void answer_calls();
    void read(int peer);
    bool begin_body(int peer);
    void complete(int peer);
    void take_waiting(int peer);
    void expect_size(int peer, size_t sent, size_t expected) const;
    void connected(int peer, Socket socket);
    void end(int peer);
    void lose(int peer);

    int rank_, size_;
    std::string host_;
    std::vector<Endpoint> endpoints_;
    Reception reception_;
    std::deque<Line> lines_;  ///< The connections, by rank.
    std::vector<char> lost_;  ///< Whether each rank is lost.
    bool tree_is_kept_ = false;
    size_t kept_bytes_ = 0;
    Transfer* transfer_ = nullptr;  ///< The one that is under way.
};

}  // namespace catena
