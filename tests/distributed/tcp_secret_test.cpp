// By what ranks over TCP recognize each other, and what strangers can do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/comm/tcp.h"
#include "runtime/comm/tcp/place.h"
#include "runtime/comm/tcp/reception.h"
#include "runtime/core/system/log.h"
#include "tests/distributed/tcp_ranks.h"
#include "tests/distributed/timeout.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using State = OutgoingCall::State;

std::string complaint_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

Deadline in_seconds(int seconds) {
    return std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
}

/// RFC 4231, test cases 1 and 2.
TEST(HmacSha256, is_that_of_the_standard) {
    EXPECT_EQ(hexadecimal(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(hexadecimal(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(HmacSha256, with_an_empty_key_does_not_take_the_one_before) {
    const Digest empty = hmac_sha256("", "x");
    hmac_sha256("another key", "x");
    EXPECT_TRUE(equal(hmac_sha256("", "x"), empty));
    EXPECT_FALSE(equal(hmac_sha256("another key", "x"), empty));
}

TEST(TcpSecret, is_needed_where_other_machines_reach_the_place) {
    for (const char* place : {"tcp://0.0.0.0:29500", "tcp://[::]:29500", "tcp://192.0.2.1:29500"})
        EXPECT_THAT(complaint_of([&] { tcp_communicator({place, 0, 2}); }),
                    AllOf(HasSubstr("can be reached by other machines"),
                          HasSubstr("CATENA_RENDEZVOUS_SECRET"), HasSubstr("file:///")))
            << place;
    EXPECT_THROW(tcp_communicator({"tcp://0.0.0.0:29500", 1, 2}), ValueError);
    EXPECT_THAT(complaint_of([] { tcp_communicator({"tcp://127.0.0.1:29500", 0, 2, "short"}); }),
                HasSubstr("has 5 characters, at least 16 are needed"));
    EXPECT_NO_THROW(place_of({"tcp://127.0.0.1:29500", 0, 2}));
    EXPECT_NO_THROW(place_of({"tcp://[::1]:29500", 0, 2}));
    EXPECT_NO_THROW(place_of({"tcp://localhost:29500", 0, 2}));
    EXPECT_NO_THROW(place_of({"tcp://0.0.0.0:29500", 0, 2, "sixteen letters!"}));
}

TEST(TcpSecret, comes_from_the_environment) {
    setenv("CATENA_RENDEZVOUS", "tcp://node0:29500", 1);
    setenv("CATENA_RENDEZVOUS_SECRET", "sixteen letters!", 1);
    setenv("CATENA_RANK", "1", 1);
    setenv("CATENA_SIZE", "2", 1);
    EXPECT_EQ(Rendezvous::from_environment().secret, "sixteen letters!");
    for (const char* name :
         {"CATENA_RENDEZVOUS", "CATENA_RENDEZVOUS_SECRET", "CATENA_RANK", "CATENA_SIZE"})
        unsetenv(name);
}

/// Runs both ranks of a job, each with its secret; their errors.
std::pair<std::string, std::string> meet_with(const std::string& first, const std::string& second) {
    for (int attempt = 0; attempt < 10; ++attempt) {
        const std::string place = "tcp://127.0.0.1:" + std::to_string(free_port());
        std::string errors[2];
        const auto rank = [&](int r, const std::string& secret) {
            errors[r] = complaint_of([&] {
                auto comm = tcp_communicator({place, r, 2, secret});
                EXPECT_EQ(comm->split(0, 0)->allgather_bytes("x").size(), 2u);
                comm->barrier();
            });
        };
        std::thread root(rank, 0, first);
        rank(1, second);
        root.join();
        if (errors[0].find("cannot listen") == std::string::npos) return {errors[0], errors[1]};
    }
    return {"no port is free", ""};
}

TEST(TcpSecret, lets_those_in_who_know_it_and_nobody_else) {
    const std::string secret = "0123456789abcdef", other = "0123456789abcdeF";
    EXPECT_EQ(meet_with(secret, secret),
              std::pair(std::string("no error"), std::string("no error")));
    TimeoutScope timeout("0.5");
    for (const auto& [mine, theirs] : {std::pair(secret, other), {secret, ""}, {"", secret}}) {
        const auto [first, second] = meet_with(mine, theirs);
        EXPECT_THAT(first, HasSubstr("rank 0 has waited 0.5 s for rank 1"));
        EXPECT_THAT(second, HasSubstr("do not know the same secret"));
    }
}

//---- the file

class PlaceFile : public ::testing::Test {
protected:
    void SetUp() override { std::filesystem::remove(place.file); }
    void TearDown() override {
        std::filesystem::remove(place.file);
        std::filesystem::remove(place.file + ".target");
    }
    void write(const std::string& path, mode_t mode) {
        std::ofstream(path) << "127.0.0.1 1 secret\n";
        chmod(path.c_str(), mode);
    }
    Place place{.port = 1, .file = ::testing::TempDir() + "place_" + std::to_string(getpid())};
};

TEST_F(PlaceFile, of_this_user_alone_is_read) {
    EXPECT_FALSE(read_place(place));
    write_place(place, "secret");
    struct stat status{};
    ASSERT_EQ(stat(place.file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600u);
    EXPECT_TRUE(read_place(place));
    EXPECT_EQ(place.secret, "secret");
    write_place(place, "another");  // What a job has left is replaced.
    place.secret.clear();
    EXPECT_TRUE(read_place(place));
    EXPECT_EQ(place.secret, "another");
}

TEST_F(PlaceFile, that_others_can_change_is_refused) {
    for (const mode_t mode : {0644, 0660, 0666}) {
        write(place.file, mode);
        EXPECT_THAT(complaint_of([&] { read_place(place); }), HasSubstr("has mode 0"));
        EXPECT_THAT(complaint_of([&] { write_place(place, "secret"); }), HasSubstr("has mode 0"));
    }
}

TEST_F(PlaceFile, of_another_user_is_refused) {
    write(place.file, 0600);
    if (chown(place.file.c_str(), 12345, gid_t(-1)) != 0)
        GTEST_SKIP() << "only root can give a file away";
    EXPECT_THAT(complaint_of([&] { read_place(place); }), HasSubstr("belongs to user 12345"));
    EXPECT_THAT(complaint_of([&] { write_place(place, "secret"); }),
                HasSubstr("belongs to user 12345"));
}

TEST_F(PlaceFile, that_is_a_link_is_not_followed) {
    write(place.file + ".target", 0600);
    std::filesystem::create_symlink(place.file + ".target", place.file);
    EXPECT_THAT(complaint_of([&] { read_place(place); }), HasSubstr("symbolic link"));
    EXPECT_THAT(complaint_of([&] { write_place(place, "secret"); }), HasSubstr("no plain file"));
}

//---- strangers

/// A caller that knows the key comes through, whatever else there is.
void expect_a_caller(Reception& reception, int port) {
    std::thread caller([&] {
        State state = State::broken;
        for (int i = 0; i < 50 && state != State::taken; ++i) {
            Socket socket = connect_to("127.0.0.1", port, in_seconds(20));
            if (!socket) continue;
            OutgoingCall call(std::move(socket), {3, 4, 0, 0}, "key");
            state = call.wait(in_seconds(20));
        }
        EXPECT_EQ(state, State::taken);
    });
    std::optional<AnsweredCall> call = reception.next(in_seconds(20));
    ASSERT_TRUE(call);
    EXPECT_EQ(call->caller().rank, 3);
    EXPECT_TRUE(call->answer(Answer::taken, "key"));
    caller.join();
}

TEST(TcpStrangers, who_are_silent_fill_no_more_than_their_places) {
    Reception reception(listen_at("127.0.0.1", 0, 1000), "key");
    const int port = port_of(reception.listening());
    std::vector<Socket> strangers;
    for (int i = 0; i < 300; ++i) {
        strangers.push_back(connect_to("127.0.0.1", port, in_seconds(20)));
        if (i % 10 == 0) reception.advance();
    }
    for (int i = 0; i < 50; ++i) reception.advance();
    EXPECT_EQ(reception.pending(), Reception::most_calls);
    expect_a_caller(reception, port);
}

TEST(TcpStrangers, are_sent_away_after_a_while) {
    Reception reception(listen_at("127.0.0.1", 0, 10), "key");
    Socket silent = connect_to("127.0.0.1", port_of(reception.listening()), in_seconds(20));
    Socket slow = connect_to("127.0.0.1", port_of(reception.listening()), in_seconds(20));
    const auto begun = std::chrono::steady_clock::now();
    const uint64_t beginning = protocol;
    size_t sent = 0;
    do {  // A byte at a time prolongs nothing.
        if (sent < sizeof beginning && slow.send_now(bytes_of(beginning).data() + sent, 1)) ++sent;
        EXPECT_FALSE(reception.next(std::chrono::steady_clock::now()));
    } while (reception.pending() > 0 &&
             std::chrono::steady_clock::now() < begun + std::chrono::seconds(20));
    const auto took = std::chrono::steady_clock::now() - begun;
    EXPECT_GE(took, Reception::patience);
    EXPECT_LT(took, Reception::patience + std::chrono::seconds(5));
}

/// The highest number of an open file of this process.
rlim_t highest_descriptor() {
    rlim_t highest = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        highest = std::max(highest, rlim_t(std::stoul(entry.path().filename().string())));
    return highest;
}

TEST(TcpStrangers, who_use_up_all_descriptors_end_nobody) {
    Reception reception(listen_at("127.0.0.1", 0, 1000), "key");
    const int port = port_of(reception.listening());
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit few{highest_descriptor() + 30, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    std::vector<Socket> strangers;
    while (Socket stranger = connect_to("127.0.0.1", port, in_seconds(20)))
        strangers.push_back(std::move(stranger));
    EXPECT_GT(strangers.size(), 20u);
    EXPECT_EQ(complaint_of([&] {
                  for (int i = 0; i < 100; ++i) reception.advance();
              }),
              "no error");
    setrlimit(RLIMIT_NOFILE, &before);
    expect_a_caller(reception, port);
}

TEST(Tcp, warns_once_that_many_ranks_need_mpi) {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit many{before.rlim_max, before.rlim_max};
    if (before.rlim_max < 10000) GTEST_SKIP() << "65 ranks in a process need 10,000 descriptors";
    setrlimit(RLIMIT_NOFILE, &many);
    std::vector<std::string> warnings;
    std::mutex mutex;
    const LogCallback printed = set_log_callback([&](LogLevel level, std::string_view line) {
        std::lock_guard lock(mutex);
        if (level == LogLevel::warning) warnings.emplace_back(line);
    });
    const auto meet = [&](int size) {
        SCOPED_TRACE(size);
        std::vector<std::string> errors =
            run_tcp(size, file_place("many"), [](const auto& comm) { comm->barrier(); });
        std::erase(errors, "");
        EXPECT_THAT(errors, ::testing::IsEmpty());
    };
    meet(64);
    EXPECT_THAT(warnings, ::testing::IsEmpty());
    meet(65);
    EXPECT_THAT(warnings, ::testing::ElementsAre(AllOf(HasSubstr("65 ranks"), HasSubstr("MPI"))));
    set_log_callback(printed);
    setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace catena
