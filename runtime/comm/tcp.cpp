#include "runtime/comm/tcp.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <random>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/comm/process_communicator.h"
#include "runtime/comm/mesh.h"
#include "runtime/core/system/log.h"

namespace catena {
namespace {

/// Goes ahead of every message.
struct Header {
    int32_t tag = 0;
    uint32_t unused = 0;
    uint64_t bytes = 0;
};

/// One connection: the message being read, and received messages that were not requested yet.
struct Line {
    Socket socket;
    Header header;
    size_t header_read = 0, body_read = 0;
    char* target = nullptr;  ///< Of the body; null: `kept` takes it.
    int receive = -1;        ///< Which of the transfer's messages that is.
    std::string kept;
    std::map<int, std::deque<std::string>> waiting;  ///< By tag.

    struct Sending {
        Header header;
        const char* data;
        size_t sent = 0;
        size_t bytes() const { return sizeof header + header.bytes; }
    };
    std::deque<Sending> sending;
};

std::string machine_name() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return name;
}

class TcpCommunicator final : public ProcessCommunicator {
public:
    TcpCommunicator(int rank, Mesh mesh) : ProcessCommunicator(rank, int(mesh.size())) {
        for (Socket& socket : mesh) lines_.emplace_back().socket = std::move(socket);
        find_neighbours_and_share(machine_name());
    }
    ~TcpCommunicator() override { close(); }
    std::string name() const override { return "tcp"; }
    [[noreturn]] void abort(int status, const std::string& reason) override {
        say(LogLevel::error, fmt::format("rank {} ends the job: {}", rank(), reason));
        std::_Exit(status == 0 ? 1 : status);  // The others find the connection closed.
    }

protected:
    std::shared_ptr<Communicator> make_group(int color, int key) override;
    int make_progress(std::span<const int> late) override;
    /// Not closed: that would destroy what the others have not read yet.
    void break_off(const std::string& reason, const std::shared_ptr<void>& memory) override {
        ProcessCommunicator::break_off(reason, memory);
        for (Line& line : lines_) {
            line.sending.clear();
            if (line.socket) shutdown(line.socket.file(), SHUT_WR);
        }
    }
    void transfer_far(const char* call, int tag, std::span<const Message> sends,
                      std::span<const Message> receives) override;
    void leave() override {
        for (Line& line : lines_) line.socket = Socket();
    }

private:
    /// The receives of one transfer, each done or not.
    struct Receives {
        int tag;
        std::span<const Message> messages;
        std::vector<char> done, started;
        size_t left;
    };
    void take_waiting(const char* call, Receives& receives);
    bool flush(Line& line);
    bool read(const char* call, int peer, Receives& receives);
    void begin_body(const char* call, int peer, Receives& receives);
    void expect_size(const char* call, int peer, size_t sent, size_t expected);
    [[noreturn]] void gone(const char* call, int peer);
    std::deque<Line> lines_;
};

void TcpCommunicator::expect_size(const char* call, int peer, size_t sent, size_t expected) {
    if (sent != expected)
        fail<CommunicationError>("{}: rank {} sends {} bytes, rank {} expects {}", call, peer, sent,
                                 rank(), expected);
}

void TcpCommunicator::gone(const char* call, int peer) {
    fail<CommunicationError>("{}: rank {} waits for rank {}, which has left the group", call,
                             rank(), peer);
}

void TcpCommunicator::take_waiting(const char* call, Receives& receives) {
    for (size_t i = 0; i < receives.messages.size(); ++i) {
        const Message& m = receives.messages[i];
        if (receives.started[i]) continue;
        std::deque<std::string>& waiting = lines_[size_t(m.peer)].waiting[receives.tag];
        if (waiting.empty()) continue;
        expect_size(call, m.peer, waiting.front().size(), m.bytes);
        if (m.bytes > 0) std::memcpy(m.data, waiting.front().data(), m.bytes);
        waiting.pop_front();
        receives.done[i] = receives.started[i] = 1;
        --receives.left;
    }
}

/// Sends what the connection takes; true when that was something.
bool TcpCommunicator::flush(Line& line) {
    bool moved = false;
    while (!line.sending.empty()) {
        Line::Sending& s = line.sending.front();
        const bool in_header = s.sent < sizeof s.header;
        const char* from = in_header ? reinterpret_cast<const char*>(&s.header) + s.sent
                                     : s.data + (s.sent - sizeof s.header);
        size_t bytes = in_header ? sizeof s.header - s.sent : s.bytes() - s.sent;
        ssize_t sent = ::send(line.socket.file(), from, bytes, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN || errno == EWOULDBLOCK) return moved;
            line.socket = Socket();
            return true;
        }
        s.sent += size_t(sent);
        moved = true;
        if (s.sent == s.bytes()) line.sending.pop_front();
    }
    return moved;
}

/// The destination of the message body after its header was read.
void TcpCommunicator::begin_body(const char* call, int peer, Receives& receives) {
    Line& line = lines_[size_t(peer)];
    line.target = nullptr;
    line.receive = -1;
    if (line.header.tag == receives.tag)
        for (size_t i = 0; i < receives.messages.size(); ++i) {
            const Message& m = receives.messages[i];
            if (m.peer != peer || receives.started[i]) continue;
            expect_size(call, peer, line.header.bytes, m.bytes);
            receives.started[i] = 1;
            line.target = static_cast<char*>(m.data);
            line.receive = int(i);
            return;
        }
    line.kept.resize(line.header.bytes);
}

/// Reads what there is; true when that was something.
bool TcpCommunicator::read(const char* call, int peer, Receives& receives) {
    Line& line = lines_[size_t(peer)];
    bool moved = false;
    while (true) {
        const bool in_header = line.header_read < sizeof line.header;
        const size_t bytes =
            in_header ? sizeof line.header - line.header_read : line.header.bytes - line.body_read;
        if (bytes > 0) {
            char* to = in_header
                           ? reinterpret_cast<char*>(&line.header) + line.header_read
                           : (line.receive >= 0 ? line.target : line.kept.data()) + line.body_read;
            ssize_t received = ::recv(line.socket.file(), to, bytes, 0);
            if (received < 0 && errno == EINTR) continue;
            if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return moved;
            if (received <= 0) {
                line.socket = Socket();
                return true;
            }
            moved = true;
            if (!in_header) {
                line.body_read += size_t(received);
            } else if ((line.header_read += size_t(received)) == sizeof line.header) {
                line.body_read = 0;
                begin_body(call, peer, receives);
            }
        }
        if (line.header_read < sizeof line.header || line.body_read < line.header.bytes) continue;
        line.header_read = 0;
        moved = true;
        if (line.receive >= 0) {
            receives.done[size_t(line.receive)] = 1;
            --receives.left;
            if (receives.left == 0) return true;
        } else {
            line.waiting[line.header.tag].push_back(std::move(line.kept));
            line.kept.clear();
            take_waiting(call, receives);  // It may have arrived partly before it was requested.
            if (receives.left == 0) return true;
        }
    }
}

void TcpCommunicator::transfer_far(const char* call, int tag, std::span<const Message> sends,
                                   std::span<const Message> receives) {
    Receives wanted{tag, receives, std::vector<char>(receives.size()),
                    std::vector<char>(receives.size()), receives.size()};
    for (const Message& m : sends)
        lines_[size_t(m.peer)].sending.push_back(
            {{tag, 0, m.bytes}, static_cast<const char*>(m.data)});
    take_waiting(call, wanted);
    const Deadline deadline = communication_deadline();
    while (true) {
        std::vector<pollfd> files;
        std::vector<int> peers;
        std::string late;
        bool all_sent = true;
        for (int r = 0; r < size(); ++r) {
            Line& line = lines_[size_t(r)];
            bool expects = false;
            for (size_t i = 0; i < receives.size(); ++i)
                expects = expects || (receives[i].peer == r && !wanted.done[i]);
            if (!line.socket) {
                if (expects || !line.sending.empty()) gone(call, r);
                continue;
            }
            if (!line.sending.empty()) flush(line);
            all_sent = all_sent && line.sending.empty();
            if (expects || !line.sending.empty())
                late += (late.empty() ? "" : ", ") + std::to_string(r);
            files.push_back(
                {line.socket.file(), short(POLLIN | (line.sending.empty() ? 0 : POLLOUT)), 0});
            peers.push_back(r);
        }
        if (all_sent && wanted.left == 0) return;
        if (poll(files.data(), nfds_t(files.size()), 1000) < 0 && errno != EINTR)
            fail<CommunicationError>("{}: poll fails: {}", call, std::strerror(errno));
        bool moved = false;
        for (size_t k = 0; k < files.size(); ++k) {
            if (files[k].revents & (POLLIN | POLLHUP | POLLERR))
                moved |= read(call, peers[k], wanted);
            if (files[k].revents & POLLOUT) moved = true;
        }
        if (!moved && std::chrono::steady_clock::now() > deadline)
            fail<CommunicationError>("{}: rank {} has waited {} s for rank {}", call, rank(),
                                     communication_timeout(), late);
    }
}

int TcpCommunicator::make_progress(std::span<const int> late) {
    for (int rank : late) {
        pollfd file{lines_[size_t(rank)].socket.file(), POLLRDHUP, 0};
        if (file.fd < 0 ||
            (poll(&file, 1, 0) > 0 && (file.revents & (POLLRDHUP | POLLHUP | POLLERR))))
            return rank;
    }
    return -1;
}

/// The members of the new group connect with addresses exchanged in this group.
std::shared_ptr<Communicator> TcpCommunicator::make_group(int color, int key) {
    struct Card {
        int32_t color, key, rank, port;
    };
    Socket listening = listen_at("", 0, size());
    const Card own{color, key, rank(), port_of(listening)};
    std::vector<Card> members;
    for (const std::string& text :
         allgather_bytes({reinterpret_cast<const char*>(&own), sizeof own}, "split")) {
        Card card;
        std::memcpy(&card, text.data(), sizeof card);
        if (card.color == color) members.push_back(card);
    }
    std::random_device random;
    uint64_t secret = uint64_t(random()) << 32 | random();
    std::string text =
        bcast_bytes({reinterpret_cast<const char*>(&secret), sizeof secret}, 0, "split");
    std::memcpy(&secret, text.data(), sizeof secret);
    if (color < 0) return nullptr;
    std::sort(members.begin(), members.end(), [](const Card& a, const Card& b) {
        return std::pair(a.key, a.rank) < std::pair(b.key, b.rank);
    });
    std::vector<Endpoint> endpoints;
    int place = 0;
    for (const Card& card : members) {
        if (card.rank == rank()) place = int(endpoints.size());
        const Line& line = lines_[size_t(card.rank)];
        endpoints.push_back({line.socket ? line.socket.peer_host() : "", card.port});
    }
    return std::make_shared<TcpCommunicator>(
        place, connect_mesh(place, endpoints, secret, listening, communication_deadline()));
}

}  // namespace

std::shared_ptr<Communicator> tcp_communicator(const Rendezvous& rendezvous) {
    return std::make_shared<TcpCommunicator>(rendezvous.rank,
                                             meet_at(rendezvous, communication_deadline()));
}

}  // namespace catena
