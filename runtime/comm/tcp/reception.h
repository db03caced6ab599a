#pragma once

#include <optional>
#include <string>
#include <vector>

#include <poll.h>

#include "runtime/comm/tcp/handshake.h"

namespace catena {

/// Answers the calls at a listening socket, many at a time and without waiting for any: strangers
/// may be silent for as long as they like. They can neither make it keep more than `most_calls`
/// connections (the oldest is closed) nor any for longer than `patience`, nor more of each than a
/// Hello; where descriptors are used up, calls wait in the system's queue.
class Reception {
public:
    static constexpr size_t most_calls = 128;
    static constexpr std::chrono::seconds patience{5};

    Reception() = default;
    Reception(Socket listening, std::string key)
        : listening_(std::move(listening)), key_(std::move(key)) {}

    /// Appends what to wait for.
    void add_files(std::vector<pollfd>& files) const;
    /// Accepts, reads, and closes what is over. Does not wait.
    void advance();
    /// A caller that has proved that it knows the key; none when there is none now.
    std::optional<AnsweredCall> take();
    /// Waits for the next one; none when the deadline has passed.
    std::optional<AnsweredCall> next(Deadline deadline);

    const std::string& key() const { return key_; }
    /// From now on callers must know this key.
    void set_key(std::string key) { key_ = std::move(key); }
    const Socket& listening() const { return listening_; }
    /// Calls that have not proved anything yet.
    size_t pending() const { return calls_.size(); }
    /// Closes everything: who calls finds that nobody listens.
    void close();

private:
    void accept_some();
    Socket listening_;
    std::string key_;
    std::vector<AnsweredCall> calls_;  ///< The oldest first.
    Deadline rests_until_{};           ///< No descriptors: until then nobody is let in.
};

}  // namespace catena
