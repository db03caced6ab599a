#include "runtime/comm/reception.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <poll.h>

#include "runtime/comm/communicator.h"

namespace catena {
namespace {

constexpr size_t most_calls = 128;  // Ranks say at once who they are.

int milliseconds_until(Deadline deadline) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    return int(std::clamp<int64_t>(left.count() + 1, 0, 1000));
}

}  // namespace

std::optional<Reception::Caller> Reception::next(Deadline deadline) {
    while (true) {
        if (std::optional<Caller> caller = take_complete()) return caller;
        if (std::chrono::steady_clock::now() > deadline) return {};
        std::vector<pollfd> files{{listening_.file(), POLLIN, 0}};
        for (const Call& call : calls_) files.push_back({call.socket.file(), POLLIN, 0});
        if (poll(files.data(), nfds_t(files.size()), milliseconds_until(deadline)) <= 0) continue;
        for (size_t i = 0; i < calls_.size(); ++i)
            if (files[i + 1].revents) listen_to(calls_[i]);
        std::erase_if(calls_, [](const Call& call) { return call.over; });
        if (files[0].revents) accept_all();
    }
}

void Reception::accept_all() {
    while (Socket socket = accept_from(listening_)) {
        if (calls_.size() == most_calls) calls_.erase(calls_.begin());
        calls_.emplace_back().socket = std::move(socket);
    }
    if (errno == EMFILE || errno == ENFILE)
        fail<CommunicationError>("rendezvous: a call cannot be answered: {}", std::strerror(errno));
}

void Reception::listen_to(Call& call) {
    const int64_t received = call.socket.receive_some(
        reinterpret_cast<char*>(&call.hello) + call.read, sizeof call.hello - call.read);
    call.over = received < 0;
    if (call.over) return;
    call.read += size_t(received);
    const bool knows = call.hello.magic == Hello::version && call.hello.secret == secret_;
    call.over = call.complete() && !knows;
}

std::optional<Reception::Caller> Reception::take_complete() {
    auto found = std::find_if(calls_.begin(), calls_.end(),
                              [](const Call& call) { return call.complete(); });
    if (found == calls_.end()) return {};
    Caller caller{std::move(found->socket), found->hello};
    calls_.erase(found);
    return caller;
}

}  // namespace catena
