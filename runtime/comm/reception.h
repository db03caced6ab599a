#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/comm/socket.h"

namespace catena {

/// The first bytes that a rank sends when it connects to another one.
struct Hello {
    static constexpr uint64_t version = 0x324d4f43414e4554;  ///< The version of the protocol.
    uint64_t magic = version, secret = 0;
    int32_t rank = 0, size = 0, port = 0, unused = 0;
};

/// Accepts connections at a listening socket, many at a time, since strangers may be silent for as
/// long as they like. Those that do not know the secret are closed.
class Reception {
public:
    Reception(const Socket& listening, uint64_t secret) : listening_(listening), secret_(secret) {}
    struct Caller {
        Socket socket;
        Hello hello;
    };
    /// The next connection that knows the secret; none when the deadline has passed.
    std::optional<Caller> next(Deadline deadline);

private:
    struct Call {
        Socket socket;
        Hello hello;
        size_t read = 0;
        bool over = false;
        bool complete() const { return read == sizeof hello; }
    };
    void accept_all();
    void listen_to(Call& call);
    std::optional<Caller> take_complete();

    const Socket& listening_;
    uint64_t secret_;
    /// Connections that have not introduced themselves yet, the oldest first.
    std::vector<Call> calls_;
};

}  // namespace catena
