#include "runtime/comm/tcp/lines.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include <sys/ioctl.h>
#include <sys/socket.h>

#include "runtime/comm/collectives/communication_error.h"

namespace catena {
namespace {

using LinesClock = std::chrono::steady_clock;

/// The time for which a receiver leaves the call to the sender.
constexpr std::chrono::milliseconds moment{200};
constexpr std::chrono::milliseconds between_calls{50};

/// How long a rank that leaves waits until the others' machines have what it has sent.
constexpr std::chrono::seconds most_lingering{1};

/// Reads what the other side has sent, and says whether its machine has all that this one has sent.
/// A connection that is closed with unread bytes is reset, and what its own side has sent and the
/// other machine has not got is lost with it; and something to read can always arrive, such as a
/// notice that yet another rank has left.
bool has_delivered(const Socket& socket) {
    char nowhere[16384];
    for (int i = 0; i < 64; ++i) {
        const ssize_t received = recv(socket.file(), nowhere, sizeof nowhere, MSG_DONTWAIT);
        if (received < 0 && errno != EAGAIN && errno != EINTR) return true;  // The other has reset.
        if (received <= 0) break;
    }
    int on_the_way = 0;
    return ioctl(socket.file(), TIOCOUTQ, &on_the_way) != 0 || on_the_way == 0;
}

}  // namespace

Lines::Lines(MetRanks meeting)
    : rank_(meeting.rank),
      size_(meeting.size),
      host_(std::move(meeting.host)),
      endpoints_(std::move(meeting.endpoints)),
      reception_(std::move(meeting.reception)),
      lines_(size_t(meeting.size)),
      lost_(size_t(meeting.size)) {
    for (int r = 0; r < size_; ++r) lines_[size_t(r)].socket = std::move(meeting.lines[size_t(r)]);
}

Lines::~Lines() { leave(); }

int Lines::open() const {
    return int(std::count_if(lines_.begin(), lines_.end(),
                             [](const Line& line) { return bool(line.socket); }));
}

void Lines::leave() {
    reception_.close();
    for (Line& line : lines_) {
        line.call.reset();
        if (line.socket) shutdown(line.socket.file(), SHUT_WR);
    }
    const Deadline deadline = LinesClock::now() + most_lingering;
    while (true) {
        for (Line& line : lines_)
            if (line.socket && has_delivered(line.socket)) line.socket = Socket();
        if (open() == 0 || LinesClock::now() > deadline) break;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    for (Line& line : lines_) line.socket = Socket();
}

/// Connections are not closed: that would destroy what the others have not read yet.
void Lines::break_off() {
    reception_.close();
    for (Line& line : lines_) {
        line.call.reset();
        line.sending.clear();
        line.messages = 0;
        if (line.socket) shutdown(line.socket.file(), SHUT_WR);
    }
}

//---- messages

void Lines::transfer(const char* call, int tag, std::span<const Message> sends,
                     std::span<const Message> receives) {
    Transfer transfer{call, tag, receives, std::vector<char>(receives.size()), receives.size(), {}};
    for (const Message& m : sends) {
        Line& line = lines_[size_t(m.peer)];
        line.sending.push_back({{tag, 0, m.bytes}, static_cast<const char*>(m.data)});
        ++line.messages;
        transfer.peers.push_back(m.peer);
    }
    for (const Message& m : receives) {
        ++lines_[size_t(m.peer)].expected;
        transfer.peers.push_back(m.peer);
    }
    std::sort(transfer.peers.begin(), transfer.peers.end());
    transfer.peers.erase(std::unique(transfer.peers.begin(), transfer.peers.end()),
                         transfer.peers.end());
    transfer_ = &transfer;
    const std::unique_ptr<Lines, void (*)(Lines*)> under_way(this, [](Lines* lines) {
        for (int peer : lines->transfer_->peers) lines->lines_[size_t(peer)].expected = 0;
        lines->transfer_ = nullptr;
    });
    finish(transfer);
}

void Lines::finish(Transfer& transfer) {
    for (int peer : transfer.peers) {
        take_waiting(peer);
        // Of which the header has been read, and perhaps nothing else is there yet.
        if (lines_[size_t(peer)].body == Line::Body::waits) read(peer);
    }
    const Deadline begun = LinesClock::now();
    Deadline deadline = communication_deadline();
    while (true) {
        const bool is_connected = connect_and_flush(transfer, LinesClock::now() > begun + moment);
        const bool all_sent =
            std::all_of(transfer.peers.begin(), transfer.peers.end(),
                        [&](int peer) { return lines_[size_t(peer)].messages == 0; });
        if (all_sent && transfer.left == 0) return;
        round(milliseconds_until(deadline, is_connected ? 1000 : int(between_calls.count())));
        // Only what this transfer waits for prolongs it: no other traffic does.
        if (std::exchange(transfer.moved, false))
            deadline = communication_deadline();
        else if (LinesClock::now() > deadline)
            give_up(transfer);
    }
}

/// Whether all that still have to do with the transfer are connected.
bool Lines::connect_and_flush(Transfer& transfer, bool waits_long) {
    bool all = true;
    for (int peer : transfer.peers) {
        Line& line = lines_[size_t(peer)];
        if (line.messages == 0 && line.expected == 0) continue;
        if (line.socket) {
            if (!line.sending.empty()) line.flush(transfer.moved);
            if (!line.deaf || line.messages == 0) continue;
        }
        if (line.deaf || lost_[size_t(peer)])
            fail<CommunicationError>("{}: rank {} waits for rank {}, which has left the group",
                                     transfer.call, rank_, peer);
        if (line.messages > 0 || waits_long) call(peer);
        all = false;
    }
    return all;
}

void Lines::give_up(const Transfer& transfer) const {
    std::string late, problems;
    for (int peer : transfer.peers) {
        const Line& line = lines_[size_t(peer)];
        if (line.messages == 0 && line.expected == 0) continue;
        late += (late.empty() ? "" : ", ") + std::to_string(peer);
        if (!line.socket && !line.problem.empty())
            problems += fmt::format("; rank {} at {}:{}: {}", peer, endpoint(peer).host,
                                    endpoint(peer).port, line.problem);
    }
    fail<CommunicationError>("{}: rank {} has waited {} s for rank {}{}", transfer.call, rank_,
                             communication_timeout(), late, problems);
}

void Lines::expect_size(int peer, size_t sent, size_t expected) const {
    if (sent != expected)
        fail<CommunicationError>("{}: rank {} sends {} bytes, rank {} expects {}", transfer_->call,
                                 peer, sent, rank_, expected);
}

void Lines::take_waiting(int peer) {
    if (!transfer_) return;
    Line& line = lines_[size_t(peer)];
    for (size_t i = 0; i < transfer_->receives.size() && line.expected > 0; ++i) {
        const Message& m = transfer_->receives[i];
        if (m.peer != peer || transfer_->started[i]) continue;
        std::deque<std::string>& waiting = line.waiting[transfer_->tag];
        if (waiting.empty()) return;
        expect_size(peer, waiting.front().size(), m.bytes);
        if (m.bytes > 0) std::memcpy(m.data, waiting.front().data(), m.bytes);
        kept_bytes_ -= m.bytes;
        waiting.pop_front();
        transfer_->started[i] = 1;
        --transfer_->left;
        --line.expected;
    }
}

/// Decides where the body goes, after its header was read; false when it is left where it is.
bool Lines::begin_body(int peer) {
    Line& line = lines_[size_t(peer)];
    const Header& header = line.header;
    if (transfer_ && header.tag == transfer_->tag)
        for (size_t i = 0; i < transfer_->receives.size(); ++i) {
            const Message& m = transfer_->receives[i];
            if (m.peer != peer || transfer_->started[i]) continue;
            expect_size(peer, header.bytes, m.bytes);
            transfer_->started[i] = 1;
            line.target = static_cast<char*>(m.data);
            line.receive = int(i);
            line.body = Line::Body::wanted;
            return true;
        }
    if (header.bytes > most_kept - kept_bytes_) {
        if (transfer_ && line.expected > 0)
            fail<CommunicationError>(
                "{}: rank {} waits for a message with tag {} from rank {}, which has sent one of "
                "{} bytes with tag {} before; messages that nobody has asked for are kept up to {} "
                "bytes, and there are {}; receive them in the order in which they are sent",
                transfer_->call, rank_, transfer_->tag, peer, header.bytes, header.tag, most_kept,
                kept_bytes_);
        line.body = Line::Body::waits;
        return false;
    }
    kept_bytes_ += header.bytes;
    line.body = Line::Body::set_aside;
    return true;
}

/// A message has been read as a whole.
void Lines::complete(int peer) {
    Line& line = lines_[size_t(peer)];
    if (line.body == Line::Body::wanted) {
        --transfer_->left;
        --line.expected;
        transfer_->moved = true;
        line.begin_message();
        return;
    }
    line.waiting[line.header.tag].push_back(std::move(line.kept));
    line.begin_message();
    take_waiting(peer);  // It may have arrived partly before it was asked for.
}

/// Reads what a connection brings.
void Lines::read(int peer) {
    Line& line = lines_[size_t(peer)];
    while (line.socket) {
        if (line.body == Line::Body::waits && !begin_body(peer)) return;
        Line::Read read = line.read();
        if (read == Line::Read::nothing) return;
        if (read == Line::Read::end) return end(peer);
        if (read == Line::Read::header) {
            if (line.header.tag == Header::notice) {
                const int gone = line.header.lost;
                line.begin_message();
                if (gone >= 0 && gone < size_ && gone != rank_) lose(gone);
                continue;
            }
            if (line.header.tag < Header::notice) return end(peer);  // Not Catena's.
            if (!begin_body(peer)) return;
            if (line.header.bytes == 0) read = Line::Read::message;
        }
        if (transfer_ && line.expected > 0 && line.header.tag == transfer_->tag)
            transfer_->moved = true;
        if (read == Line::Read::message) {
            complete(peer);
            if (transfer_ && transfer_->left == 0) return;
        }
    }
}

//---- connections

/// One look at everything, which waits so long for something to do.
void Lines::round(int milliseconds) {
    if (!tree_is_kept_) keep_tree();
    std::vector<pollfd> files;
    std::vector<int> peers;
    for (int r = 0; r < size_; ++r) {
        const Line& line = lines_[size_t(r)];
        if (!line.socket) continue;
        const bool waits = line.body == Line::Body::waits && line.expected == 0;
        if (waits && line.closing) continue;
        const short events =
            short((waits ? 0 : POLLIN) | (line.sending.empty() || line.deaf ? 0 : POLLOUT));
        files.push_back({line.socket.file(), short(events | (line.closing ? 0 : POLLRDHUP)), 0});
        peers.push_back(r);
    }
    for (int r = 0; r < size_; ++r)
        if (const Line& line = lines_[size_t(r)]; line.call) {
            files.push_back({line.call->socket().file(), line.call->events(), 0});
            peers.push_back(r);
        }
    reception_.add_files(files);
    if (poll(files.data(), nfds_t(files.size()), milliseconds) < 0 && errno != EINTR)
        fail<CommunicationError>("poll fails: {}", std::strerror(errno));
    for (size_t i = 0; i < peers.size(); ++i) {
        if (!files[i].revents) continue;
        Line& line = lines_[size_t(peers[i])];
        if (line.call) {
            advance_call(peers[i]);
            continue;
        }
        if (files[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) line.closing = true;
        if (files[i].revents & (POLLIN | POLLHUP | POLLERR | POLLRDHUP)) read(peers[i]);
        bool moved = false;
        if (line.socket && files[i].revents & POLLOUT) line.flush(moved);
        if (moved && transfer_) transfer_->moved = true;
    }
    answer_calls();
}

int Lines::lost_among(std::span<const int> ranks) {
    round(0);
    for (int rank : ranks) {
        const Line& line = lines_[size_t(rank)];
        if (line.closing || (lost_[size_t(rank)] && !line.socket)) return rank;
    }
    return -1;
}

void Lines::call(int peer) {
    Line& line = lines_[size_t(peer)];
    if (line.call || line.socket || LinesClock::now() < line.calls_again) return;
    line.calls_again = LinesClock::now() + between_calls;
    Socket socket = begin_to_connect(endpoint(peer).host, endpoint(peer).port);
    if (socket) {
        line.call.emplace(std::move(socket), Identity{rank_, size_, 0, peer}, key());
        return;
    }
    if (errno == ECONNREFUSED) return lose(peer);
    line.problem = std::strerror(errno);
}

void Lines::advance_call(int peer) {
    Line& line = lines_[size_t(peer)];
    switch (line.call->advance()) {
        case OutgoingCall::State::open:
            return;
        case OutgoingCall::State::taken:
            connected(peer, line.call->take());
            return;
        case OutgoingCall::State::unheard:
            line.call.reset();
            return lose(peer);
        case OutgoingCall::State::refused:
            break;  // Its own call is on the way.
        case OutgoingCall::State::unproved:
        case OutgoingCall::State::broken:
            line.problem = line.call->problem();
            break;
    }
    line.call.reset();
    line.calls_again = LinesClock::now() + between_calls;
}

void Lines::answer_calls() {
    reception_.advance();
    while (std::optional<AnsweredCall> call = reception_.take()) {
        const Identity caller = call->caller();
        if (caller.size != size_ || caller.goal != rank_ || caller.rank < 0 ||
            caller.rank >= size_ || caller.rank == rank_)
            continue;
        Line& line = lines_[size_t(caller.rank)];
        const bool own_is_on_the_way = line.call && rank_ < caller.rank;
        if (line.socket || lost_[size_t(caller.rank)] || own_is_on_the_way) {
            call->answer(Answer::refused, key());
            continue;
        }
        if (Socket socket = call->answer(Answer::taken, key()))
            connected(caller.rank, std::move(socket));
    }
}

void Lines::connected(int peer, Socket socket) {
    Line& line = lines_[size_t(peer)];
    line.call.reset();
    line.socket = std::move(socket);
    for (int r = 0; r < size_; ++r)
        if (lost_[size_t(r)]) line.sending.push_back({{Header::notice, r, 0}});
}

/// The connection has ended.
void Lines::end(int peer) {
    Line& line = lines_[size_t(peer)];
    if (line.body == Line::Body::set_aside) kept_bytes_ -= line.header.bytes;
    line.hang_up();
    lose(peer);
}

/// The rank has left the group. If it is connected, what it has sent is still to be read.
void Lines::lose(int peer) {
    if (std::exchange(lost_[size_t(peer)], 1)) return;
    tree_is_kept_ = false;
    for (int r = 0; r < size_; ++r)
        if (Line& line = lines_[size_t(r)]; line.socket && r != peer)
            line.sending.push_back({{Header::notice, peer, 0}});
}

/// Calls the parent in the tree: the next ancestor that is not lost, or else the lowest rank.
void Lines::keep_tree() {
    tree_is_kept_ = true;
    int parent = rank_;
    while (parent > 0 && (parent == rank_ || lost_[size_t(parent)]))
        parent = parent_in_tree(parent);
    for (int r = 0; lost_[size_t(parent)] && r < rank_; ++r)
        if (!lost_[size_t(r)]) parent = r;
    if (parent == rank_ || lost_[size_t(parent)] || lines_[size_t(parent)].socket) return;
    call(parent);
    tree_is_kept_ = bool(lines_[size_t(parent)].socket);
}

}  // namespace catena
