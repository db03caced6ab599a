#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace catena {

using Deadline = std::chrono::steady_clock::time_point;

/// Owns a file descriptor. Errors are CommunicationErrors that name the failed call.
class Socket {
public:
    Socket() = default;
    explicit Socket(int file) : file_(file) {}
    Socket(Socket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    Socket& operator=(Socket&& other) noexcept {
        std::swap(file_, other.file_);
        return *this;
    }
    ~Socket();
    int file() const { return file_; }
    explicit operator bool() const { return file_ >= 0; }

    /// Sends all bytes before the deadline; false when the other side is gone or too slow.
    bool send_all(const void* data, size_t bytes, Deadline deadline);
    bool receive_all(void* data, size_t bytes, Deadline deadline);
    /// Receives the bytes that have arrived, at most `bytes`, and returns their number; 0 when
    /// there are none, -1 when the other side is gone.
    int64_t receive_some(void* data, size_t bytes);
    /// Sends all bytes at once; false when the socket does not take them.
    bool send_now(const void* data, size_t bytes);
    /// After begin_to_connect: EINPROGRESS, 0 when it is connected, or why it is not.
    int error_of_connecting() const;
    /// The other side's address in numbers.
    std::string peer_host() const;

private:
    int file_ = -1;
};

/// Listens at a host ("": all, by IPv6 and IPv4) and port (0: any that is free).
Socket listen_at(const std::string& host, int port, int backlog);
int port_of(const Socket& listening);
/// Accepts a connection that is waiting, if any.
Socket accept_from(const Socket& listening);
/// A connection to a listening socket; none when nobody listens there.
Socket connect_to(const std::string& host, int port, Deadline deadline);
/// A socket that begins to connect to an address in numbers, without waiting; none when it cannot
/// begin.
Socket begin_to_connect(const std::string& host, int port);
/// Whether the host is this machine alone, by all of its addresses (127.0.0.1, ::1).
bool is_loopback(const std::string& host);
/// Whether it is an address in numbers, which nobody has to be asked for.
bool is_numeric(const std::string& host);

/// Waits for the events of poll(); false when the deadline has passed.
bool wait_for(int file, short events, Deadline deadline);
/// The milliseconds until a deadline, for poll(): from 0 to `most`.
int milliseconds_until(Deadline deadline, int most);

}  // namespace catena
