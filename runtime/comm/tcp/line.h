#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "runtime/comm/tcp/handshake.h"

namespace catena {

/// Goes ahead of every message.
struct Header {
    static constexpr int32_t notice = -2;  ///< The tag of a notice, which has no body.
    int32_t tag = 0;
    int32_t lost = 0;  ///< The rank that has left the group, in a notice.
    uint64_t bytes = 0;
};

/// What this rank has with one other: the connection, if there is one, what is to be sent on it,
/// the message that is being read, and messages that nobody has asked for yet.
struct Line {
    Socket socket;
    std::optional<OutgoingCall> call;  ///< A connection that this rank has begun.
    /// The time before which no call is made again, after one that failed.
    Deadline calls_again{};
    std::string problem;  ///< Why the last call failed.

    struct Sending {
        Header header;
        const char* data = nullptr;
        size_t sent = 0;
        size_t bytes() const { return sizeof header + header.bytes; }
        bool is_notice() const { return header.tag == Header::notice; }
    };
    std::deque<Sending> sending;
    int messages = 0;  ///< The number of messages in `sending`, without notices.

    enum class Body {
        none,      ///< The header is being read.
        waits,     ///< Nobody wants the message now, and it is left where it is.
        wanted,    ///< The message goes to `target`.
        set_aside  ///< The message goes to `kept`.
    };
    Header header;
    size_t header_read = 0, body_read = 0;
    Body body = Body::none;
    char* target = nullptr;
    int receive = -1;  ///< The index of the transfer's receive that the message is for.
    std::string kept;
    std::map<int, std::deque<std::string>> waiting;  ///< The messages that wait, by tag.
    int expected = 0;      ///< Messages that the transfer still receives from there.
    bool closing = false;  ///< The other side sends no more; what it has sent may not be read yet.

    bool deaf = false;  ///< The other side takes no more; what it has sent may not be read yet.

    /// Sends what the connection takes; finds out whether it is deaf. `moved` is set when bytes of
    /// a message went.
    void flush(bool& moved);
    /// Reads bytes of the header or the body, as far as they are there.
    enum class Read { nothing, some, header, message, end };
    Read read();
    /// Gets ready for the next message.
    void begin_message();
    /// Forgets the connection, but not what has arrived in whole.
    void hang_up();
};

}  // namespace catena
