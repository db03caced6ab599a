#include "runtime/comm/mesh.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/comm/communicator.h"
#include "runtime/comm/reception.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

struct Entry {
    char host[64] = {};
    int32_t port = 0;
};
struct Place {
    std::string host;
    int port = 0;
    std::string file;  ///< Not empty: the others are read from there.
    uint64_t secret = 0;
};

Place parse(const std::string& place) {
    if (place.starts_with("file://") && place.size() > 7) return {.file = place.substr(7)};
    if (place.starts_with("tcp://")) {
        size_t colon = place.rfind(':');
        Place parsed{.host = place.substr(6, colon > 6 ? colon - 6 : 0)};
        if (parsed.host.size() > 2 && parsed.host[0] == '[')  // IPv6
            parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
        const char *begin = place.data() + colon + 1, *end = place.data() + place.size();
        auto [last, error] = std::from_chars(begin, end, parsed.port);
        if (colon > 6 && error == std::errc() && last == end && parsed.port > 0 &&
            parsed.port < 65536)
            return parsed;
    }
    fail<ValueError>("rendezvous: '{}' is not a place; use tcp://HOST:PORT or file:///FOLDER/NAME",
                     place);
}

uint64_t random_number() {
    std::random_device random;
    return uint64_t(random()) << 32 | random();
}

std::string own_host() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return name;
}

/// "HOST PORT SECRET", readable by this user alone, complete when it appears.
void write_place(const Place& place) {
    std::string temporary = place.file + "." + std::to_string(getpid());
    std::string text = fmt::format("{} {} {}\n", own_host(), place.port, place.secret);
    int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool written = file >= 0 && write(file, text.data(), text.size()) == ssize_t(text.size());
    if (file >= 0) close(file);
    if (!written || rename(temporary.c_str(), place.file.c_str()) != 0) {
        std::string problem = std::strerror(errno);
        unlink(temporary.c_str());
        fail<CommunicationError>("rendezvous: the file {} cannot be written: {}", place.file,
                                 problem);
    }
}

bool read_place(Place& place) {
    std::error_code unknown;  // Opening a pipe would wait for somebody who writes to it.
    if (!std::filesystem::is_regular_file(place.file, unknown)) return false;
    std::ifstream file(place.file);
    return bool(file >> place.host >> place.port >> place.secret);
}

std::vector<Entry> table_of(const std::vector<Endpoint>& endpoints) {
    std::vector<Entry> table(endpoints.size());
    for (size_t r = 0; r < table.size(); ++r) {
        std::strncpy(table[r].host, endpoints[r].host.c_str(), sizeof table[r].host - 1);
        table[r].port = endpoints[r].port;
    }
    return table;
}

std::vector<Endpoint> endpoints_of(const std::vector<Entry>& table) {
    std::vector<Endpoint> endpoints;
    for (const Entry& e : table) endpoints.push_back({e.host, e.port});
    return endpoints;
}

[[noreturn]] void missing(const std::string& what, const Mesh& known, int rank,
                          const std::string& others = "") {
    std::string names;
    for (int r = 0; r < int(known.size()); ++r)
        if (r != rank && !known[size_t(r)])
            names += (names.empty() ? "" : ", ") + std::to_string(r);
    fail<CommunicationError>("{}: rank {} has waited {} s for rank {}{}", what, rank,
                             communication_timeout(), names, others);
}

/// Rank 0 collects the addresses of all ranks and distributes them. Who belongs to another job, or
/// comes a second time, is sent away: anybody may call a port, and must not end this job.
Mesh gather_ranks(const Rendezvous& where, const Place& place, const Socket& listening,
                  std::vector<Endpoint>& endpoints, Deadline deadline) {
    Mesh calls(size_t(where.size));
    Reception reception(listening, place.secret);
    std::string others;
    for (int arrived = 1; arrived < where.size;) {
        auto caller = reception.next(deadline);
        if (!caller) missing("rendezvous at " + where.place, calls, 0, others);
        const Hello& hello = caller->hello;
        if (hello.size != where.size || hello.rank < 1 || hello.rank >= where.size ||
            calls[size_t(hello.rank)]) {
            others = fmt::format(
                "; rank {} of {} has come, a rank from 1 to {} of {} that is not here yet is "
                "expected",
                hello.rank, hello.size, where.size - 1, where.size);
            continue;
        }
        endpoints[size_t(hello.rank)] = {caller->socket.peer_host(), hello.port};
        calls[size_t(hello.rank)] = std::move(caller->socket);
        ++arrived;
    }
    return calls;
}

/// Calls rank 0 until it answers.
Socket call_root(const Rendezvous& where, Place& place, Deadline deadline) {
    while (std::chrono::steady_clock::now() < deadline) {
        if (place.file.empty() || read_place(place))
            if (Socket call = connect_to(place.host, place.port, deadline)) return call;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    fail<CommunicationError>("rendezvous at {}: rank {} has waited {} s for rank 0", where.place,
                             where.rank, communication_timeout());
}

}  // namespace

Deadline communication_deadline() {
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(
               std::chrono::duration<double>(communication_timeout()));
}

Mesh connect_mesh(int rank, const std::vector<Endpoint>& endpoints, uint64_t secret,
                  const Socket& listening, Deadline deadline) {
    const int size = int(endpoints.size());
    Mesh mesh(endpoints.size());
    const Hello own{.secret = secret, .rank = rank, .size = size};
    for (int r = 0; r < rank; ++r) {
        mesh[size_t(r)] =
            connect_to(endpoints[size_t(r)].host, endpoints[size_t(r)].port, deadline);
        if (!mesh[size_t(r)] || !mesh[size_t(r)].send_all(&own, sizeof own, deadline))
            fail<CommunicationError>("rank {} cannot reach rank {} at {}:{}", rank, r,
                                     endpoints[size_t(r)].host, endpoints[size_t(r)].port);
    }
    Reception reception(listening, secret);
    for (int left = size - 1 - rank; left > 0;) {
        auto caller = reception.next(deadline);
        if (!caller) missing("connecting", mesh, rank);
        const int r = caller->hello.rank;
        if (r <= rank || r >= size || mesh[size_t(r)]) continue;
        mesh[size_t(r)] = std::move(caller->socket);
        --left;
    }
    return mesh;
}

Mesh meet_at(const Rendezvous& where, Deadline deadline) {
    if (where.size < 1 || where.rank < 0 || where.rank >= where.size)
        fail<ValueError>("rendezvous: there is no rank {} among {}", where.rank, where.size);
    Place place = parse(where.place);
    std::vector<Endpoint> endpoints(size_t(where.size));
    uint64_t secret = random_number();
    if (where.size == 1) return Mesh(1);
    if (where.rank == 0) {
        const bool by_file = !place.file.empty();
        Socket listening = listen_at(place.host, place.port, where.size);
        if (by_file) {
            place.port = port_of(listening);
            place.secret = random_number();
            write_place(place);
        }
        Mesh calls = gather_ranks(where, place, listening, endpoints, deadline);
        if (by_file) unlink(place.file.c_str());
        endpoints[0].port = port_of(listening);
        std::vector<Entry> table = table_of(endpoints);
        for (int r = 1; r < where.size; ++r)
            if (!calls[size_t(r)].send_all(&secret, sizeof secret, deadline) ||
                !calls[size_t(r)].send_all(table.data(), table.size() * sizeof(Entry), deadline))
                fail<CommunicationError>("rendezvous: rank {} is gone", r);
        return connect_mesh(0, endpoints, secret, listening, deadline);
    }
    Socket listening = listen_at("", 0, where.size);
    Socket root = call_root(where, place, deadline);
    const Hello hello{
        .secret = place.secret, .rank = where.rank, .size = where.size, .port = port_of(listening)};
    std::vector<Entry> table(size_t(where.size));
    if (!root.send_all(&hello, sizeof hello, deadline) ||
        !root.receive_all(&secret, sizeof secret, deadline) ||
        !root.receive_all(table.data(), table.size() * sizeof(Entry), deadline))
        fail<CommunicationError>(
            "rendezvous at {}: rank 0 does not answer rank {} of {}; other ranks may be missing, "
            "or "
            "it expects another number of ranks, or has this rank already",
            where.place, where.rank, where.size);
    endpoints = endpoints_of(table);
    endpoints[0].host = root.peer_host();
    return connect_mesh(where.rank, endpoints, secret, listening, deadline);
}

}  // namespace catena
