#include "runtime/comm/tcp/line.h"

#include <algorithm>
#include <cerrno>

#include <sys/socket.h>

namespace catena {
namespace {

/// A body that is set aside grows as it arrives: its header alone makes nobody allocate it.
constexpr size_t step_of_kept = 256 << 10;

bool is_for_later(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

void Line::flush(bool& moved) {
    while (!sending.empty() && !deaf) {
        Sending& s = sending.front();
        const bool in_header = s.sent < sizeof s.header;
        const char* const from = in_header ? reinterpret_cast<const char*>(&s.header) + s.sent
                                           : s.data + (s.sent - sizeof s.header);
        const size_t bytes = in_header ? sizeof s.header - s.sent : s.bytes() - s.sent;
        if (bytes > 0) {
            const ssize_t sent = ::send(socket.file(), from, bytes, MSG_NOSIGNAL);
            if (sent < 0) {
                deaf = !is_for_later(errno);
                return;
            }
            s.sent += size_t(sent);
            moved = moved || !s.is_notice();
        }
        if (s.sent < s.bytes()) continue;
        if (!s.is_notice()) --messages;
        sending.pop_front();
    }
}

Line::Read Line::read() {
    const bool in_header = header_read < sizeof header;
    size_t bytes = in_header ? sizeof header - header_read : header.bytes - body_read;
    if (!in_header && bytes == 0) return Read::message;
    char* to = reinterpret_cast<char*>(&header) + header_read;
    if (!in_header && body == Body::wanted) to = target + body_read;
    if (!in_header && body == Body::set_aside) {
        bytes = std::min(bytes, step_of_kept);
        if (kept.size() < body_read + bytes) kept.resize(body_read + bytes);
        to = kept.data() + body_read;
    }
    const ssize_t received = ::recv(socket.file(), to, bytes, 0);
    if (received < 0 && is_for_later(errno)) return Read::nothing;
    if (received <= 0) return Read::end;
    (in_header ? header_read : body_read) += size_t(received);
    if (in_header) return header_read == sizeof header ? Read::header : Read::some;
    return body_read == header.bytes ? Read::message : Read::some;
}

void Line::begin_message() {
    header_read = body_read = 0;
    body = Body::none;
    target = nullptr;
    receive = -1;
    kept.clear();
}

void Line::hang_up() {
    socket = Socket();
    closing = deaf = false;
    begin_message();
}

}  // namespace catena
