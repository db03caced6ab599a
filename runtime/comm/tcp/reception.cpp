#include "runtime/comm/tcp/reception.h"

#include <algorithm>
#include <cerrno>

namespace catena {
namespace {

/// Few at a time: what the first of them say is read before many more make it too old to be kept.
constexpr int most_accepted_at_once = 16;

using ReceptionClock = std::chrono::steady_clock;

}  // namespace

void Reception::add_files(std::vector<pollfd>& files) const {
    if (listening_ && ReceptionClock::now() >= rests_until_)
        files.push_back({listening_.file(), POLLIN, 0});
    for (const AnsweredCall& call : calls_)
        if (!call.is_proved()) files.push_back({call.socket().file(), POLLIN, 0});
}

void Reception::advance() {
    const auto now = ReceptionClock::now();
    // What has arrived is read first: this rank may have computed for longer than the patience.
    std::erase_if(calls_, [&](AnsweredCall& call) {
        return !call.is_proved() &&
               (!call.advance(key_) || (!call.is_proved() && now - call.begun() > patience));
    });
    if (listening_ && now >= rests_until_) accept_some();
}

void Reception::accept_some() {
    for (int i = 0; i < most_accepted_at_once; ++i) {
        Socket socket = accept_from(listening_);
        if (!socket) {
            const bool none_left =
                errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            if (none_left && !calls_.empty())
                calls_.erase(calls_.begin());
            else if (none_left)
                rests_until_ = ReceptionClock::now() + std::chrono::milliseconds(100);
            return;
        }
        const auto oldest = std::find_if(calls_.begin(), calls_.end(),
                                         [](const AnsweredCall& c) { return !c.is_proved(); });
        if (calls_.size() >= most_calls && oldest != calls_.end()) calls_.erase(oldest);
        calls_.emplace_back(std::move(socket));
    }
}

std::optional<AnsweredCall> Reception::take() {
    const auto found = std::find_if(calls_.begin(), calls_.end(),
                                    [](const AnsweredCall& call) { return call.is_proved(); });
    if (found == calls_.end()) return {};
    AnsweredCall call = std::move(*found);
    calls_.erase(found);
    return call;
}

std::optional<AnsweredCall> Reception::next(Deadline deadline) {
    while (true) {
        advance();
        if (std::optional<AnsweredCall> call = take()) return call;
        if (ReceptionClock::now() > deadline) return {};
        std::vector<pollfd> files;
        add_files(files);
        poll(files.data(), nfds_t(files.size()), milliseconds_until(deadline, 100));
    }
}

void Reception::close() {
    calls_.clear();
    listening_ = Socket();
}

}  // namespace catena
