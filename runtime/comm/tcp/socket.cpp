#include "runtime/comm/tcp/socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/comm/collectives/communication_error.h"

namespace catena {
namespace {

struct Addresses {
    Addresses(const std::string& host, int port, bool to_listen, int family = AF_UNSPEC,
              int flags = 0) {
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        hints.ai_family = family;
        hints.ai_flags = (to_listen ? AI_PASSIVE : 0) | AI_NUMERICSERV | flags;
        error = getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(),
                            &hints, &first);
    }
    ~Addresses() {
        if (first) freeaddrinfo(first);
    }
    Addresses(const Addresses&) = delete;
    addrinfo* first = nullptr;
    int error = 0;
};

Socket prepared(int file) {
    int on = 1;
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
    return Socket(file);
}

/// A socket that listens at the address; none, and an errno, when that is not possible.
Socket listening_at(const addrinfo& address, int backlog) {
    Socket made(socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                       address.ai_protocol));
    int on = 1, off = 0;
    setsockopt(made.file(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address.ai_family == AF_INET6)
        setsockopt(made.file(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (made && bind(made.file(), address.ai_addr, address.ai_addrlen) == 0 &&
        listen(made.file(), backlog) == 0)
        return made;
    return {};
}

bool is_loopback(const sockaddr& address) {
    if (address.sa_family == AF_INET) {
        const auto& ip = reinterpret_cast<const sockaddr_in&>(address);
        return ntohl(ip.sin_addr.s_addr) >> 24 == 127;
    }
    if (address.sa_family != AF_INET6) return false;
    const in6_addr& ip = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&ip) || (IN6_IS_ADDR_V4MAPPED(&ip) && ip.s6_addr[12] == 127);
}

}  // namespace

bool wait_for(int file, short events, Deadline deadline) {
    while (true) {
        pollfd waiting{file, events, 0};
        const int ready = poll(&waiting, 1, milliseconds_until(deadline, 1000));
        if (ready > 0) return true;
        if (ready == 0 && std::chrono::steady_clock::now() >= deadline) return false;
        if (ready < 0 && errno != EINTR) return false;
    }
}

int milliseconds_until(Deadline deadline, int most) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    return int(std::clamp<int64_t>(left.count() + 1, 0, most));
}

Socket::~Socket() {
    if (file_ >= 0) close(file_);
}

bool Socket::send_all(const void* data, size_t bytes, Deadline deadline) {
    for (const char* at = static_cast<const char*>(data); bytes > 0;) {
        ssize_t sent = send(file_, at, bytes, MSG_NOSIGNAL);
        if (sent > 0) {
            at += sent;
            bytes -= size_t(sent);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!wait_for(file_, POLLOUT, deadline)) return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool Socket::receive_all(void* data, size_t bytes, Deadline deadline) {
    for (char* at = static_cast<char*>(data); bytes > 0;) {
        ssize_t received = recv(file_, at, bytes, 0);
        if (received > 0) {
            at += received;
            bytes -= size_t(received);
        } else if (received == 0) {
            return false;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!wait_for(file_, POLLIN, deadline)) return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool Socket::send_now(const void* data, size_t bytes) {
    return send(file_, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) == ssize_t(bytes);
}

int Socket::error_of_connecting() const {
    pollfd ready{file_, POLLOUT, 0};
    if (poll(&ready, 1, 0) <= 0) return EINPROGRESS;
    int error = 0;
    socklen_t length = sizeof error;
    return getsockopt(file_, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

int64_t Socket::receive_some(void* data, size_t bytes) {
    const ssize_t received = recv(file_, data, bytes, 0);
    if (received > 0) return received;
    return received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 0 : -1;
}

std::string Socket::peer_host() const {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    char host[NI_MAXHOST] = {};
    if (getpeername(file_, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
        getnameinfo(reinterpret_cast<sockaddr*>(&address), length, host, sizeof host, nullptr, 0,
                    NI_NUMERICHOST) != 0)
        return "";
    // As a socket for both names an IPv4 address. It is given to ranks that may have no IPv6.
    constexpr std::string_view mapped = "::ffff:";
    const std::string_view name(host);
    const bool is_mapped = name.starts_with(mapped) && name.find('.') != name.npos;
    return std::string(is_mapped ? name.substr(mapped.size()) : name);
}

Socket listen_at(const std::string& host, int port, int backlog) {
    // A host that has IPv6 switched off refuses the first.
    const std::vector<int> families =
        host.empty() ? std::vector{AF_INET6, AF_INET} : std::vector{AF_UNSPEC};
    std::string problem;
    for (int family : families) {
        Addresses addresses(host, port, true, family);
        if (addresses.error) problem = gai_strerror(addresses.error);
        for (addrinfo* a = addresses.first; a; a = a->ai_next) {
            if (Socket made = listening_at(*a, backlog)) return made;
            problem = std::strerror(errno);
        }
    }
    fail<CommunicationError>("rendezvous: cannot listen at {}:{}: {}", host.empty() ? "*" : host,
                             port, problem);
}

int port_of(const Socket& listening) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    getsockname(listening.file(), reinterpret_cast<sockaddr*>(&address), &length);
    return ntohs(address.ss_family == AF_INET6
                     ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                     : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

Socket accept_from(const Socket& listening) {
    const int file = accept4(listening.file(), nullptr, nullptr, SOCK_CLOEXEC);
    return file >= 0 ? prepared(file) : Socket();
}

Socket connect_to(const std::string& host, int port, Deadline deadline) {
    Addresses addresses(host, port, false);
    for (addrinfo* a = addresses.first; a; a = a->ai_next) {
        Socket made(
            socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol));
        if (!made) continue;
        if (connect(made.file(), a->ai_addr, a->ai_addrlen) != 0) {
            if (errno != EINPROGRESS || !wait_for(made.file(), POLLOUT, deadline)) continue;
            int error = 0;
            socklen_t length = sizeof error;
            getsockopt(made.file(), SOL_SOCKET, SO_ERROR, &error, &length);
            if (error != 0) continue;
        }
        int on = 1;
        setsockopt(made.file(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return made;
    }
    return {};
}

Socket begin_to_connect(const std::string& host, int port) {
    Addresses addresses(host, port, false);
    errno = EHOSTUNREACH;
    const addrinfo* const a = addresses.first;
    if (!a) return {};
    Socket made(
        socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol));
    if (!made) return {};
    int on = 1;
    setsockopt(made.file(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(made.file(), a->ai_addr, a->ai_addrlen) != 0 && errno != EINPROGRESS) return {};
    return made;
}

bool is_loopback(const std::string& host) {
    Addresses addresses(host, 1, false);
    for (const addrinfo* a = addresses.first; a; a = a->ai_next)
        if (!is_loopback(*a->ai_addr)) return false;
    return addresses.first != nullptr;
}

bool is_numeric(const std::string& host) {
    const Addresses addresses(host, 1, false, AF_UNSPEC, AI_NUMERICHOST);
    return !host.empty() && addresses.first != nullptr;
}

}  // namespace catena
