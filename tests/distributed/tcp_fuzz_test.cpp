// Everything that listens, given what is not Catena's: handshakes and headers of which fields are
// changed. CATENA_FUZZ_CASES says how many of each kind (3,000), CATENA_FUZZ_SEED where to begin
// (0); a failure names its seed, which is the number of the case.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include <poll.h>
#include <sys/socket.h>

#include "runtime/comm/tcp.h"
#include "runtime/comm/tcp/lines.h"
#include "runtime/comm/tcp/meeting.h"
#include "runtime/core/system/environment.h"
#include "tests/distributed/tcp_ranks.h"
#include "tests/distributed/timeout.h"

namespace catena {
namespace {

using CallState = OutgoingCall::State;

int64_t number_of_cases() {
    return environment::whole_number("CATENA_FUZZ_CASES", 1).value_or(3000);
}
int64_t first_seed() { return environment::whole_number("CATENA_FUZZ_SEED", 0).value_or(0); }
int64_t end_of_seeds() { return first_seed() + number_of_cases(); }

const std::string key_of_all = "the key of all ranks";

Deadline soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(20); }

/// The most memory that this process has had at a time, in MiB.
double most_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == "VmHWM:") {
            double kilobytes = 0;
            status >> kilobytes;
            return kilobytes / 1024;
        }
    return 0;
}
void forget_most_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

/// What a test may take beside what it had, in MiB. A sanitizer keeps freed memory for a while.
#if defined(__SANITIZE_ADDRESS__)
constexpr double most_taken = 512;
#else
constexpr double most_taken = 64;
#endif

/// Changes to one case's messages.
class Changes {
public:
    explicit Changes(int64_t seed) : random_(uint64_t(seed)) {}
    uint64_t below(uint64_t n) { return random_() % n; }
    int32_t number() {
        constexpr int32_t odd[] = {0,  1,   2,     3,       -1,        -2,       -3,
                                   64, 255, 65536, 1 << 30, INT32_MAX, INT32_MIN};
        return below(8) ? odd[below(std::size(odd))] : int32_t(random_());
    }
    uint64_t size() {
        constexpr uint64_t odd[] = {0,          1,          7,
                                    8,          9,          4096,
                                    1 << 20,    1ull << 30, (1ull << 30) + 1,
                                    1ull << 31, 1ull << 32, 1ull << 60,
                                    1ull << 63, UINT64_MAX};
        return below(8) ? odd[below(std::size(odd))] : random_();
    }
    /// Changes bytes, so that the text is another one.
    void change(std::string& text) {
        const std::string before = text;
        while (text == before) {
            const uint64_t at = below(text.size());
            switch (below(5)) {
                case 0:
                    text[at] = char(text[at] ^ (1 << below(8)));
                    break;
                case 1:
                    text[at] = char(random_());
                    break;
                case 2: {
                    const int32_t n = number();
                    std::memcpy(text.data() + std::min<size_t>(at & ~3ull, text.size() - 4), &n, 4);
                    break;
                }
                case 3:
                    text.replace(at, text.size(), text.size() - at, char(random_()));
                    break;
                default:
                    text.erase(at, 1 + below(8));
                    text.resize(before.size());
                    break;
            }
        }
    }

private:
    std::mt19937_64 random_;
};

bool send_text(Socket& to, const std::string& text) {
    return to.send_now(text.data(), text.size());
}

template <class T>
T parsed(const std::string& text) {
    T value;
    std::memcpy(&value, text.data(), sizeof value);
    return value;
}

/// The caller's half by hand: its Hello, right or changed. Whether it was changed.
bool introduce(Changes& changes, Socket& socket, bool may_be_right) {
    // An honest caller over a pair of sockets, of which the called side is this function.
    Challenge challenge;
    if (!socket.receive_all(&challenge, sizeof challenge, soon())) return true;
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    Socket near(pair[0]);
    OutgoingCall caller(Socket(pair[1]), {int32_t(changes.number()), 3, changes.number(), 0},
                        changes.below(8) ? key_of_all : "another");
    const bool other_challenge = changes.below(8) == 0;
    if (other_challenge) challenge.nonce[changes.below(32)] ^= 1;
    near.send_now(&challenge, sizeof challenge);
    caller.advance();
    std::string hello(sizeof(Hello), 0);
    near.receive_all(hello.data(), hello.size(), soon());
    Hello right = parsed<Hello>(hello);
    const bool is_right = may_be_right && changes.below(8) == 0;
    if (!is_right) changes.change(hello);
    if (!is_right && changes.below(4) == 0) hello.resize(changes.below(hello.size()));
    if (changes.below(4) == 0) hello += std::string(changes.below(3000), char(changes.below(256)));
    send_text(socket, hello);
    return hello.size() < sizeof(Hello) || other_challenge ||
           std::memcmp(hello.data(), &right, sizeof right) != 0;
}

/// Callers that change their Hello are never let in, and take no memory.
TEST(FuzzedPorts, let_nobody_in_who_does_not_know_the_key) {
    Reception reception(listen_at("127.0.0.1", 0, 100), key_of_all);
    const int port = port_of(reception.listening());
    forget_most_memory();
    const double before = most_memory();
    int64_t right = 0;
    std::vector<Socket> open;  // Some callers stay.
    for (int64_t seed = first_seed(); seed < end_of_seeds(); ++seed) {
        Changes changes(seed);
        Socket socket = connect_to("127.0.0.1", port, soon());
        ASSERT_TRUE(socket);
        for (int i = 0; i < 1000 && reception.pending() == 0; ++i) reception.advance();
        reception.advance();
        const bool changed = changes.below(16) == 0 || introduce(changes, socket, true);
        if (changes.below(4) == 0)
            open.push_back(std::move(socket));
        else if (changes.below(2) == 0)
            socket = Socket();
        if (open.size() > 200) open.clear();
        reception.advance();
        reception.advance();
        while (std::optional<AnsweredCall> call = reception.take()) {
            EXPECT_FALSE(changed) << "seed " << seed;
            ++right;
        }
        ASSERT_LE(reception.pending(), Reception::most_calls) << "seed " << seed;
    }
    EXPECT_LT(most_memory() - before, most_taken) << "MiB";
    EXPECT_EQ(right > 0, number_of_cases() >= 1000);
}

/// A called port whose challenge or verdict is changed is not taken for a rank's.
TEST(FuzzedPorts, that_are_called_are_believed_only_with_the_key) {
    for (int64_t seed = first_seed(); seed < end_of_seeds(); ++seed) {
        Changes changes(seed);
        int pair[2];
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
        Socket wire(pair[0]);
        OutgoingCall call(Socket(pair[1]), {1, 3, 0, 0}, key_of_all);
        // An honest rank at the far end of another pair; what it sends is changed on its way.
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
        Socket near(pair[0]);
        AnsweredCall honest{Socket(pair[1])};
        const auto pass_on = [&](Socket& from, Socket& to, size_t bytes, bool change) {
            std::string text(bytes, 0);
            if (!from.receive_all(text.data(), bytes, std::chrono::steady_clock::now()))
                text.resize(bytes);
            if (change) changes.change(text);
            if (change && changes.below(4) == 0) text.resize(changes.below(bytes));
            send_text(to, text);
        };
        const uint64_t what = changes.below(3);  // Nothing, the challenge, the verdict.
        pass_on(near, wire, sizeof(Challenge), what == 1);
        call.advance();
        pass_on(wire, near, sizeof(Hello), false);
        const bool proved = honest.advance(key_of_all) && honest.is_proved();
        const Socket kept = proved ? honest.answer(Answer::taken, key_of_all) : Socket();
        pass_on(near, wire, sizeof(Verdict), what == 2);
        const CallState state = call.advance();
        EXPECT_EQ(state == CallState::taken, what == 0) << "seed " << seed;
    }
}

/// Rank 0 of three. Rank 1 is one that has not called, rank 2 (and whoever knows the key) the test.
class Victim {
public:
    Victim() : lines_(meeting()) {}
    Lines& lines() { return lines_; }
    /// A connection that has introduced itself so; none when it was not taken.
    Socket connect_as(const Identity& identity) {
        OutgoingCall call(connect_to("127.0.0.1", port_, soon()), identity, key_of_all);
        const Deadline end = soon();
        CallState state = CallState::open;
        while (state == CallState::open && std::chrono::steady_clock::now() < end) {
            lines_.lost_among({});
            state = call.advance();
        }
        return state == CallState::taken ? call.take() : Socket();
    }

private:
    MetRanks meeting() {
        MetRanks met;
        met.size = 3;
        met.endpoints.assign(3, {"127.0.0.1", 1});
        met.lines.resize(3);
        met.reception = Reception(listen_at("127.0.0.1", 0, 10), key_of_all);
        port_ = port_of(met.reception.listening());
        return met;
    }
    int port_ = 0;
    Lines lines_;
};

/// Odd identities and headers of a caller that knows the key: an error that says so, at once.
TEST(FuzzedPorts, end_no_rank_by_what_they_are_sent) {
    TimeoutScope timeout("5");
    forget_most_memory();
    const double before = most_memory();
    int64_t received = 0;
    double longest = 0;
    for (int64_t seed = first_seed(); seed < end_of_seeds(); ++seed) {
        Changes changes(seed);
        Victim victim;
        if (changes.below(4) == 0) {
            const Identity identity{changes.number(), changes.below(2) ? 3 : changes.number(),
                                    changes.number(), changes.below(2) ? 0 : changes.number()};
            const bool ours =
                identity.size == 3 && identity.goal == 0 && identity.rank > 0 && identity.rank < 3;
            EXPECT_EQ(bool(victim.connect_as(identity)), ours) << "seed " << seed;
        }
        Socket line = victim.connect_as({2, 3, 0, 0});
        std::string text;
        const auto add = [&](const Header& header, const std::string& body) {
            text.append(bytes_of(header)).append(body);
        };
        for (uint64_t i = changes.below(3); i > 0; --i)
            add({changes.number(), changes.number(), changes.size()},
                std::string(changes.below(64), char(changes.below(256))));
        add({5, 0, 8}, "content!");
        if (changes.below(2) == 0) changes.change(text);
        if (line) send_text(line, text);
        line = Socket();
        char content[8] = {};
        const Communicator::Message message{2, content, sizeof content};
        const auto begun = std::chrono::steady_clock::now();
        try {
            victim.lines().transfer("recv", 5, {}, {&message, 1});
            ++received;
        } catch (const CommunicationError&) {
        }
        longest = std::max(
            longest,
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    }
    EXPECT_GT(received, 0);
    EXPECT_LT(longest, 4) << "seconds of one";
    EXPECT_LT(most_memory() - before, most_taken) << "MiB";
}

/// Rank 2 of four, which proves that it knows the secret to a rank 0 that sends it any bytes as the
/// table of addresses. Rank 3 answers if it is called.
class Newcomer {
public:
    /// How rank 2 has fared, with `bytes` bytes of `text` as the table: "" if it has met.
    std::string meet(uint32_t bytes, const std::string& text, Deadline deadline) {
        std::string error;
        std::atomic<bool> over{false};
        std::thread rank([&] {
            try {
                const std::string place = "tcp://127.0.0.1:" + std::to_string(port_of(root_));
                meet_at({place, 2, 4, secret_}, deadline);
            } catch (const CommunicationError& refused) {
                error = refused.what();
            }
            over = true;
        });
        if (wait_for(root_.file(), POLLIN, soon())) {
            AnsweredCall call(accept_from(root_));
            while (!over && call.advance(secret_) && !call.is_proved()) std::this_thread::yield();
            Socket line = call.answer(Answer::taken, secret_, nonce_);
            if (line && line.send_now(&bytes, sizeof bytes)) send_text(line, text);
            while (!over) {
                child_.advance();
                if (std::optional<AnsweredCall> from = child_.take())
                    lines_.push_back(from->answer(Answer::taken, key_));
                std::this_thread::yield();
            }
        }
        rank.join();
        return error;
    }
    std::string table() const {
        return fmt::format("0.0.0.0 {}\n127.0.0.1 {}\n127.0.0.1 {}\n127.0.0.1 {}\n", port_of(root_),
                           1, 2, port_of(child_.listening()));
    }

private:
    const std::string secret_ = "the secret of this job";
    const Digest nonce_ = random_digest();
    const std::string key_{bytes_of(hmac_sha256(secret_, "group" + std::string(bytes_of(nonce_))))};
    Socket root_ = listen_at("127.0.0.1", 0, 4);
    Reception child_{listen_at("127.0.0.1", 0, 4), key_};
    std::vector<Socket> lines_;
};

/// Such a rank is one that knows the secret, but it cannot end, hold or fill another.
TEST(FuzzedPorts, give_tables_of_addresses_that_are_none) {
    forget_most_memory();
    const double before = most_memory();
    double longest = 0;
    for (int64_t seed = 0; seed < number_of_cases() / 10; ++seed) {
        Changes changes(seed);
        Newcomer newcomer;
        std::string table = newcomer.table();
        if (changes.below(8) == 0) {
            EXPECT_EQ(newcomer.meet(uint32_t(table.size()), table, soon()), "") << "seed " << seed;
            continue;
        }
        changes.change(table);
        if (changes.below(4) == 0) table += table;
        const auto bytes = changes.below(4) ? uint32_t(table.size()) : uint32_t(changes.number());
        const auto begun = std::chrono::steady_clock::now();
        newcomer.meet(bytes, table, begun + std::chrono::milliseconds(100));
        longest = std::max(
            longest,
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    }
    EXPECT_LT(longest, 5) << "seconds of one, which may take 0.1";
    EXPECT_LT(most_memory() - before, most_taken) << "MiB";
}

TEST(FuzzedPorts, are_told_what_table_is_wrong) {
    const auto refused = [](const std::function<void(std::string&)>& change) {
        Newcomer newcomer;
        std::string table = newcomer.table();
        change(table);
        return newcomer.meet(uint32_t(table.size()), table, soon());
    };
    for (const char* wrong :
         {"x", "127.0.0.1 1\n", "127.0.0.1 1\n127.0.0.1 2\n127.0.0.1 3\n127.0.0.1 0\n",
          "127.0.0.1 1\n127.0.0.1 2\n127.0.0.1 3\n127.0.0.1 65536\n",
          "127.0.0.1 1\n127.0.0.1 2\n127.0.0.1 3\nlocalhost 4\n",
          "127.0.0.1 1\n127.0.0.1 2\n127.0.0.1 3\n127.0.0.1 -4\n",
          "127.0.0.1 1\n127.0.0.1 2\n127.0.0.1 3\n127.0.0.1 4\n127.0.0.1 5\n"}) {
        EXPECT_THAT(refused([&](std::string& table) { table = wrong; }),
                    ::testing::HasSubstr("rank 2 got a table of addresses that is none of 4 ranks"))
            << wrong;
    }
    EXPECT_EQ(refused([](std::string&) {}), "");
}

/// A rendezvous among callers that are none: all ranks meet.
TEST(FuzzedPorts, let_a_rendezvous_through) {
    TimeoutScope timeout("60");
    const std::string secret = "the secret of this job";
    for (int attempt = 0; attempt < 10; ++attempt) {
        const int port = free_port();
        const std::string place = "tcp://127.0.0.1:" + std::to_string(port);
        std::atomic<bool> over{false};
        const auto disturb = [&](int64_t seed) {
            for (; !over; ++seed) {
                Changes changes(seed);
                if (Socket socket = connect_to("127.0.0.1", port, soon())) {
                    std::string text(sizeof(Hello), char(changes.below(256)));
                    changes.change(text);
                    send_text(socket, text);
                }
            }
        };
        std::vector<std::string> errors(4);
        std::vector<std::thread> ranks;
        const auto rank = [&](int r) {
            try {
                tcp_communicator({place, r, 4, secret})->barrier();
            } catch (const std::exception& error) {
                errors[size_t(r)] = error.what();
            }
        };
        ranks.emplace_back(rank, 0);
        std::thread strangers[] = {std::thread(disturb, 0), std::thread(disturb, 1'000'000)};
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        for (int r = 1; r < 4; ++r) ranks.emplace_back(rank, r);
        for (std::thread& thread : ranks) thread.join();
        over = true;
        for (std::thread& thread : strangers) thread.join();
        if (errors[0].find("cannot listen") != std::string::npos) continue;
        EXPECT_EQ(errors, std::vector<std::string>(4));
        return;
    }
    FAIL() << "no port is free";
}

}  // namespace
}  // namespace catena
