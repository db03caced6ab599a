#pragma once

#include <optional>
#include <string>

#include "runtime/comm/tcp/socket.h"
#include "runtime/comm/tcp/authentication.h"

namespace catena {

/// How two ranks begin a connection. Both prove that they know a key, without sending it:
///
///     the called rank sends   a Challenge, with a number that is used once;
///     the calling rank        a Hello: who it is, a number of its own, and its proof;
///     the called rank         a Verdict: whether it takes the call, and its proof.
///
/// A proof is the HMAC-SHA256 of all that was sent so far. Until then nothing but these messages is
/// read, whose sizes are fixed, and neither side waits for the other within a call of advance().
constexpr uint64_t protocol = 0x334d4f43414e4554;

/// What a calling rank says of itself.
struct Identity {
    int32_t rank = 0, size = 0;
    int32_t port = 0;  ///< The port where the rank listens.
    int32_t goal = 0;  ///< The rank that it calls.
};
struct Challenge {
    uint64_t magic = protocol;
    Digest nonce{};
};
struct Hello {
    uint64_t magic = protocol;
    Identity caller;
    Digest nonce{}, proof{};
};
enum class Answer : int32_t {
    taken = 1,
    refused,     ///< Refused for now: there is a connection already, or one the other way.
    wrong_size,  ///< Refused: the caller belongs to another job.
    present,     ///< Refused: there is a rank with this number.
    wrong_key,   ///< Said without a proof.
};
struct Verdict {
    Answer answer{};
    int32_t unused = 0;
    Digest gift{};  ///< A number for what follows; at a rendezvous one that is used once.
    Digest proof{};
};

/// A message of a fixed size, of which a part may have arrived.
template <class T>
struct Arriving {
    T message{};
    size_t read = 0;
    bool complete() const { return read == sizeof message; }
    /// Reads what there is; false when the other side is gone.
    bool advance(Socket& socket) {
        const int64_t got =
            socket.receive_some(reinterpret_cast<char*>(&message) + read, sizeof message - read);
        if (got > 0) read += size_t(got);
        return got >= 0;
    }
};

/// The called rank's half.
class AnsweredCall {
public:
    /// Sends the challenge to a caller.
    explicit AnsweredCall(Socket socket);
    /// Reads what there is; false when the caller is gone or does not know the key.
    bool advance(const std::string& key);
    /// Whether the caller has proved that it knows the key.
    bool is_proved() const { return proved_; }
    const Identity& caller() const { return hello_.message.caller; }
    /// Sends the verdict. The connection; none when it is not taken, or has ended.
    Socket answer(Answer answer, const std::string& key, const Digest& gift = {});
    const Socket& socket() const { return socket_; }
    std::chrono::steady_clock::time_point begun() const { return begun_; }

private:
    Socket socket_;
    Challenge challenge_;
    Arriving<Hello> hello_;
    bool proved_ = false;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/// The calling rank's half.
class OutgoingCall {
public:
    /// `socket` may not be connected yet.
    OutgoingCall(Socket socket, const Identity& own, std::string key);
    enum class State {
        open,      ///< The other side has not answered yet.
        taken,     ///< take() returns the connection.
        refused,   ///< Refused, for the reason that answer() gives.
        unproved,  ///< The other side does not know the key.
        unheard,   ///< Nobody listens at the address.
        broken,    ///< The connection ended in between; problem() says why.
    };
    /// Does what can be done without waiting.
    State advance();
    /// The events that poll() is to wait for.
    short events() const;
    const Socket& socket() const { return socket_; }
    Answer answer() const { return verdict_.message.answer; }
    const Digest& gift() const { return verdict_.message.gift; }
    const std::string& problem() const { return problem_; }
    Socket take() { return std::move(socket_); }
    /// advance() until it is decided; `open` when the deadline has passed.
    State wait(Deadline deadline);

private:
    State introduce();
    State judge() const;
    Socket socket_;
    std::string key_;
    bool connected_ = false, introduced_ = false;
    Hello hello_;
    Arriving<Challenge> challenge_;
    Arriving<Verdict> verdict_;
    std::string problem_;
};

}  // namespace catena
