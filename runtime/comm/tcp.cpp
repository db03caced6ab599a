#include "runtime/comm/tcp.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "runtime/comm/process_communicator.h"
#include "runtime/comm/tcp/lines.h"
#include "runtime/comm/tcp/meeting.h"
#include "runtime/comm/ordered_sum.h"
#include "runtime/core/system/log.h"

namespace catena {
namespace {

/// Up to so many ranks an all-reduce goes directly between all of them, which is the fastest (16
/// ranks on two cores: 24 ms for 1 MiB, 40 ms by OrderedSum). Beyond, it comes near (64: 150 ms
/// and 185 ms), and each rank needs 8 connections for it instead of 63.
constexpr int most_that_talk_with_all = 16;
/// What TCP is made for. Beyond, MPI's collectives and start-up are.
constexpr int most_ranks = 64;

std::string machine_name() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return name;
}

class TcpCommunicator final : public ProcessCommunicator {
public:
    TcpCommunicator(MetRanks meeting)
        : ProcessCommunicator(meeting.rank, meeting.size), lines_(std::move(meeting)) {
        find_neighbours_and_share(machine_name());
    }
    ~TcpCommunicator() override { close(); }
    std::string name() const override { return "tcp"; }
    [[noreturn]] void abort(int status, const std::string& reason) override {
        say(LogLevel::error, fmt::format("rank {} ends the job: {}", rank(), reason));
        std::_Exit(status == 0 ? 1 : status);  // The others find the connections closed.
    }

protected:
    std::shared_ptr<Communicator> make_group(int color, int key) override;
    int make_progress(std::span<const int> late) override { return lines_.lost_among(late); }
    void break_off(const std::string& reason, const std::shared_ptr<void>& memory) override {
        ProcessCommunicator::break_off(reason, memory);
        lines_.break_off();
    }
    void transfer_far(const char* call, int tag, std::span<const Message> sends,
                      std::span<const Message> receives) override {
        lines_.transfer(call, tag, sends, receives);
    }
    void reduce_far(const char* call, const Array& buffer, Reduction reduction) override;
    void leave() override { lines_.leave(); }

private:
    Lines lines_;
};

void TcpCommunicator::reduce_far(const char* call, const Array& buffer, Reduction reduction) {
    if (size() <= most_that_talk_with_all || sums() == Sums::engine)
        return ProcessCommunicator::reduce_far(call, buffer, reduction);
    const OrderedSum sum{rank(), size(),
                         [&](std::span<const Message> sends, std::span<const Message> receives) {
                             transfer(call, -1, sends, receives);
                         }};
    count(sum(call, buffer, reduction));
}

/// The members of the new group know each other's addresses from this one.
std::shared_ptr<Communicator> TcpCommunicator::make_group(int color, int key) {
    struct Card {
        int32_t color, key, rank, port;
    };
    Socket listening = size() > 1 ? listen_at(lines_.host(), 0, size()) : Socket();
    const Card own{color, key, rank(), listening ? port_of(listening) : 0};
    std::vector<Card> members;
    for (const std::string& text : allgather_bytes(bytes_of(own), "split")) {
        Card card;
        std::memcpy(&card, text.data(), sizeof card);
        if (card.color == color) members.push_back(card);
    }
    const std::string nonce = bcast_bytes(bytes_of(random_digest()), 0, "split");
    if (color < 0) return nullptr;
    std::sort(members.begin(), members.end(), [](const Card& a, const Card& b) {
        return std::pair(a.key, a.rank) < std::pair(b.key, b.rank);
    });
    MetRanks meeting;
    meeting.size = int(members.size());
    meeting.host = lines_.host();
    for (const Card& card : members) {
        if (card.rank == rank()) meeting.rank = int(meeting.endpoints.size());
        meeting.endpoints.push_back({lines_.endpoint(card.rank).host, card.port});
    }
    meeting.lines.resize(members.size());
    const Digest group = hmac_sha256(lines_.key(), nonce + std::string(bytes_of(color)));
    if (members.size() > 1)
        meeting.reception = Reception(std::move(listening), std::string(bytes_of(group)));
    return std::make_shared<TcpCommunicator>(std::move(meeting));
}

}  // namespace

std::shared_ptr<Communicator> tcp_communicator(const Rendezvous& rendezvous) {
    if (rendezvous.rank == 0 && rendezvous.size > most_ranks)
        say(LogLevel::warning,
            fmt::format("{} ranks over TCP: it is made for up to {}; beyond, use MPI "
                        "(create_communicator(\"flat\"), started by mpirun)",
                        rendezvous.size, most_ranks));
    return std::make_shared<TcpCommunicator>(
        meet_at({rendezvous.place, rendezvous.rank, rendezvous.size, rendezvous.secret},
                communication_deadline()));
}

}  // namespace catena
