#include "runtime/comm/tcp/meeting.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <thread>

#include <unistd.h>

#include "runtime/comm/collectives/communication_error.h"
#include "runtime/comm/tcp/place.h"

namespace catena {
namespace {

using State = OutgoingCall::State;

constexpr size_t longest_endpoint = 128;

std::string text_of(const std::vector<Endpoint>& endpoints) {
    std::string text;
    for (const Endpoint& e : endpoints) text += fmt::format("{} {}\n", e.host, e.port);
    return text;
}

/// Sends a table of endpoints; an empty one means: your parent in the tree brings it.
bool send_table(Socket& to, const std::string& table, Deadline deadline) {
    const uint32_t bytes = uint32_t(table.size());
    return to.send_all(&bytes, sizeof bytes, deadline) &&
           to.send_all(table.data(), bytes, deadline);
}

bool receive_table(Socket& from, int size, std::string& table, Deadline deadline) {
    uint32_t bytes = 0;
    if (!from.receive_all(&bytes, sizeof bytes, deadline) ||
        bytes > longest_endpoint * size_t(size))
        return false;
    table.resize(bytes);
    return from.receive_all(table.data(), bytes, deadline);
}

/// "host port\n" at the beginning of a table, which then begins behind it; none if it is no
/// address.
std::optional<Endpoint> take_endpoint(std::string_view& table) {
    const size_t space = table.find(' '), end = table.find('\n');
    if (end == table.npos || space > end) return {};
    Endpoint made{std::string(table.substr(0, space)), 0};
    const char *first = table.data() + space + 1, *last = table.data() + end;
    const auto read = std::from_chars(first, last, made.port);
    if (read.ec != std::errc() || read.ptr != last || made.port < 1 || made.port > 65535 ||
        !is_numeric(made.host))
        return {};
    table.remove_prefix(end + 1);
    return made;
}

/// The endpoints of a table; none if it is not one of so many ranks.
std::optional<std::vector<Endpoint>> endpoints_of(std::string_view table, int size) {
    std::vector<Endpoint> all;
    while (std::optional<Endpoint> next = take_endpoint(table)) all.push_back(*std::move(next));
    if (!table.empty() || int(all.size()) != size) return {};
    return all;
}

std::string key_of_group(const std::string& secret, const Digest& nonce) {
    const Digest key = hmac_sha256(secret, "group" + std::string(bytes_of(nonce)));
    return std::string(bytes_of(key));
}

/// One rank's way through a rendezvous.
class Attendance {
public:
    Attendance(const Invitation& where, Deadline deadline)
        : where_(where), deadline_(deadline), place_(place_of(where)) {
        met_.rank = where.rank;
        met_.size = where.size;
        met_.lines.resize(size_t(where.size));
        met_.endpoints.resize(size_t(where.size));
        if (place_.file.empty() && is_loopback(place_.host)) met_.host = place_.host;
    }
    MetRanks lead();
    MetRanks join();

private:
    void gather(std::vector<Socket>& calls, const Digest& nonce);
    Answer judge(const Identity& caller, const std::vector<Socket>& calls);
    OutgoingCall call_root(int own_port);
    void wait_for_parent(Socket& root, std::string& table);
    void forward(const std::string& table);
    [[noreturn]] void late(const std::string& ranks, const std::string& others = "") {
        fail<CommunicationError>("rendezvous at {}: rank {} has waited {} s for rank {}{}",
                                 where_.place, met_.rank, communication_timeout(), ranks, others);
    }

    const Invitation& where_;
    Deadline deadline_;
    Place place_;
    MetRanks met_;
    std::string others_;  ///< Whom rank 0 has sent away.
};

/// Anybody may call a port, and must not end this job.
Answer Attendance::judge(const Identity& caller, const std::vector<Socket>& calls) {
    const bool is_ours = caller.size == met_.size && caller.rank >= 1 && caller.rank < met_.size;
    if (is_ours && !calls[size_t(caller.rank)]) return Answer::taken;
    others_ = fmt::format(
        "; rank {} of {} has come, a rank from 1 to {} of {} that is not here yet is expected",
        caller.rank, caller.size, met_.size - 1, met_.size);
    return is_ours ? Answer::present : Answer::wrong_size;
}

void Attendance::gather(std::vector<Socket>& calls, const Digest& nonce) {
    for (int arrived = 1; arrived < met_.size;) {
        std::optional<AnsweredCall> call = met_.reception.next(deadline_);
        if (!call) {
            std::string missing;
            for (int r = 1; r < met_.size; ++r)
                if (!calls[size_t(r)]) missing += (missing.empty() ? "" : ", ") + std::to_string(r);
            late(missing, others_);
        }
        const Identity caller = call->caller();
        const std::string host = call->socket().peer_host();
        Socket socket = call->answer(judge(caller, calls), met_.reception.key(), nonce);
        if (!socket) continue;
        met_.endpoints[size_t(caller.rank)] = {host, caller.port};
        calls[size_t(caller.rank)] = std::move(socket);
        ++arrived;
    }
}

MetRanks Attendance::lead() {
    Socket listening = listen_at(place_.host, place_.port, met_.size);
    const int port = port_of(listening);
    if (!place_.file.empty()) {
        place_.port = port;
        const std::string secret = hexadecimal(random_digest());
        write_place(place_, secret);
        place_.secret += secret;
    }
    const Digest nonce = random_digest();
    met_.reception = Reception(std::move(listening), place_.secret);
    std::vector<Socket> calls(met_.lines.size());
    gather(calls, nonce);
    if (!place_.file.empty()) unlink(place_.file.c_str());
    // The others know by what address they have reached this rank.
    met_.endpoints[0] = {"0.0.0.0", port};
    met_.reception.set_key(key_of_group(place_.secret, nonce));
    const std::string table = text_of(met_.endpoints);
    for (int r = 1; r < met_.size; ++r)
        if (!send_table(calls[size_t(r)], parent_in_tree(r) == 0 ? table : "", deadline_))
            fail<CommunicationError>("rendezvous: rank {} is gone", r);
    for (int child : children_in_tree(0, met_.size))
        met_.lines[size_t(child)] = std::move(calls[size_t(child)]);
    return std::move(met_);
}

/// Calls rank 0 until it answers. Where the meeting place is a file, it may be one that a job has
/// left, of which somebody else has the port now.
OutgoingCall Attendance::call_root(int own_port) {
    const bool by_file = !place_.file.empty();
    std::string problem;
    while (std::chrono::steady_clock::now() < deadline_) {
        Place place = place_;
        Socket socket;
        if (!by_file || read_place(place)) socket = connect_to(place.host, place.port, deadline_);
        if (socket) {
            OutgoingCall call(std::move(socket), {met_.rank, met_.size, own_port, 0}, place.secret);
            const State state = call.wait(deadline_);
            if (state == State::taken) {
                place_ = place;
                return call;
            }
            const bool wrong_key = state == State::unproved;
            if (wrong_key && !by_file)
                fail<CommunicationError>(
                    "rendezvous at {}: rank {} and what listens there do not know the same secret "
                    "(CATENA_RENDEZVOUS_SECRET{}){}{}",
                    where_.place, met_.rank, place_.secret.empty() ? ", not set here" : "",
                    call.problem().empty() ? "" : ": ", call.problem());
            if (state == State::refused)
                fail<CommunicationError>("rendezvous at {}: rank 0 does not take rank {} of {}: {}",
                                         where_.place, met_.rank, met_.size,
                                         call.answer() == Answer::present
                                             ? "it has a rank of this number already"
                                             : "it expects another number of ranks");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    late("0");
}

/// Waits for the rank's parent; until then others may have called, too, who know where this rank
/// listens.
void Attendance::wait_for_parent(Socket& root, std::string& table) {
    const int parent = parent_in_tree(met_.rank);
    Socket& line = met_.lines[size_t(parent)];
    while (!line) {
        std::optional<AnsweredCall> call = met_.reception.next(deadline_);
        if (!call) late(std::to_string(parent));
        const Identity caller = call->caller();
        if (caller.size != met_.size || caller.goal != met_.rank || caller.rank < 0 ||
            caller.rank >= met_.size || met_.lines[size_t(caller.rank)])
            continue;
        met_.lines[size_t(caller.rank)] = call->answer(Answer::taken, met_.reception.key());
    }
    root = Socket();
    if (!receive_table(line, met_.size, table, deadline_))
        fail<CommunicationError>("rendezvous: rank {} waits for rank {}, which has left", met_.rank,
                                 parent);
}

void Attendance::forward(const std::string& table) {
    for (int child : children_in_tree(met_.rank, met_.size)) {
        const Endpoint& to = met_.endpoints[size_t(child)];
        State state = State::broken;
        while (state == State::broken && std::chrono::steady_clock::now() < deadline_) {
            Socket socket = connect_to(to.host, to.port, deadline_);
            if (!socket) break;
            OutgoingCall call(std::move(socket), {met_.rank, met_.size, 0, child},
                              met_.reception.key());
            state = call.wait(deadline_);
            if (state == State::taken) met_.lines[size_t(child)] = call.take();
        }
        if (state != State::taken || !send_table(met_.lines[size_t(child)], table, deadline_))
            fail<CommunicationError>("rank {} cannot reach rank {} at {}:{}", met_.rank, child,
                                     to.host, to.port);
    }
}

MetRanks Attendance::join() {
    Socket listening = listen_at(met_.host, 0, met_.size);
    const int port = port_of(listening);
    OutgoingCall call = call_root(port);
    Socket root = call.take();
    met_.reception = Reception(std::move(listening), key_of_group(place_.secret, call.gift()));
    const std::string host_of_root = root.peer_host();
    const int port_of_root = place_.port;
    std::string table;
    if (!receive_table(root, met_.size, table, deadline_)) {
        if (std::chrono::steady_clock::now() >= deadline_)
            late("0", "; it has answered, so other ranks may be missing");
        fail<CommunicationError>(
            "rendezvous at {}: rank {} waits for rank 0, which has left; other ranks may be "
            "missing",
            where_.place, met_.rank);
    }
    if (table.empty())
        wait_for_parent(root, table);
    else
        met_.lines[0] = std::move(root);
    std::optional<std::vector<Endpoint>> endpoints = endpoints_of(table, met_.size);
    if (!endpoints)
        fail<CommunicationError>(
            "rendezvous at {}: rank {} got a table of addresses that is none of {} ranks",
            where_.place, met_.rank, met_.size);
    met_.endpoints = *std::move(endpoints);
    // Of a rank on rank 0's machine, seen from there.
    for (Endpoint& e : met_.endpoints)
        if (is_loopback(e.host)) e.host = host_of_root;
    met_.endpoints[0] = {host_of_root, port_of_root};
    forward(table);
    return std::move(met_);
}

}  // namespace

std::vector<int> children_in_tree(int rank, int size) {
    std::vector<int> children;
    const int end = rank == 0 ? size : rank & -rank;  // Exclusive, of what is added.
    for (int step = 1; step < end && rank + step < size; step *= 2) children.push_back(rank + step);
    return children;
}

Deadline communication_deadline() {
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(
               std::chrono::duration<double>(communication_timeout()));
}

MetRanks meet_at(const Invitation& where, Deadline deadline) {
    if (where.size < 1 || where.rank < 0 || where.rank >= where.size)
        fail<ValueError>("rendezvous: there is no rank {} among {}", where.rank, where.size);
    Attendance attendance(where, deadline);
    if (where.size == 1) {
        MetRanks alone;
        alone.endpoints.resize(1);
        alone.lines.resize(1);
        return alone;
    }
    return where.rank == 0 ? attendance.lead() : attendance.join();
}

}  // namespace catena
