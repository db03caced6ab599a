// Processes connected without MPI, represented by threads: each has a connection of its own to
// every other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "runtime/comm/tcp/socket.h"
#include "runtime/comm/tcp.h"
#include "runtime/comm/tcp/handshake.h"
#include "tests/distributed/collectives.h"
#include "tests/distributed/tcp_ranks.h"
#include "tests/distributed/timeout.h"
#include "tests/distributed/training.h"
#include "tests/support/command.h"

namespace catena {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

class TcpCollectives : public ::testing::TestWithParam<std::tuple<int, bool>> {
protected:
    void SetUp() override {
        setenv("CATENA_SHARED_MEMORY", std::get<1>(GetParam()) ? "1" : "0", 1);
    }
    void TearDown() override { unsetenv("CATENA_SHARED_MEMORY"); }
    void run(const std::function<void(const std::shared_ptr<Communicator>&)>& f) {
        const int size = std::get<0>(GetParam());
        EXPECT_EQ(run_tcp(size, file_place(std::to_string(size)), f),
                  std::vector<std::string>(size_t(size)));
    }
};

TEST_P(TcpCollectives, move_what_they_should) {
    run([](const std::shared_ptr<Communicator>& comm) {
        EXPECT_EQ(comm->name(), "tcp");
        check_collectives(*comm);
        check_split(*comm);
        check_background(*comm);
        check_functions(*comm);
        comm->barrier();
    });
}

TEST_P(TcpCollectives, train_as_one_rank_does) {
    run([](const std::shared_ptr<Communicator>& comm) {
        check_training(comm);
        comm->barrier();
    });
}

TEST_P(TcpCollectives, divide_the_update) {
    run([](const std::shared_ptr<Communicator>& comm) {
        check_sharding(comm);
        comm->barrier();
    });
}

INSTANTIATE_TEST_SUITE_P(ranks, TcpCollectives,
                         ::testing::Combine(::testing::Values(1, 2, 4), ::testing::Bool()),
                         [](const auto& info) {
                             return std::to_string(std::get<0>(info.param)) +
                                    (std::get<1>(info.param) ? "_with_shared_memory"
                                                             : "_by_network");
                         });

TEST(Tcp, large_messages_cross_both_ways) {
    auto errors = run_tcp(2, file_place("large"), [](const std::shared_ptr<Communicator>& comm) {
        const int other = 1 - comm->rank();
        Array x = Array::full({Dtype::float32, {4000000}}, comm->rank());
        Array pair[2] = {x, x};
        EXPECT_EQ(comm->alltoall(pair)[size_t(other)].to_vector<float>(),
                  std::vector<float>(4000000, float(other)));
        comm->barrier();
    });
    EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(Tcp, ranks_meet_at_a_port) {
    std::vector<std::string> errors;
    for (int attempt = 0; attempt < 10; ++attempt) {  // Another process may take the port in
                                                      // between.
        errors = run_tcp(3, "tcp://127.0.0.1:" + std::to_string(free_port()),
                         [](const std::shared_ptr<Communicator>& comm) {
                             EXPECT_EQ(comm->allreduce(Array::scalar<int32_t>(1)).item<int>(), 3);
                             comm->barrier();
                         });
        if (errors[0].find("cannot listen") == std::string::npos) break;
    }
    EXPECT_EQ(errors, std::vector<std::string>(3));
}

TEST(Tcp, strangers_at_the_port_are_sent_away) {
    std::string path = file_place("strangers").substr(7);
    std::ofstream(path) << "127.0.0.1 1 99\n";  // Left by a job that has ended: nothing listens
                                                // there.
    chmod(path.c_str(), 0600);
    std::thread stranger([&] {
        std::string host;
        int port = 1;
        while (port == 1) {
            std::ifstream(path) >> host >> port;
            std::this_thread::yield();
        }
        Socket call = connect_to("127.0.0.1", port,
                                 std::chrono::steady_clock::now() + std::chrono::seconds(30));
        call.send_all("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n", 36,
                      std::chrono::steady_clock::now() + std::chrono::seconds(30));
    });
    auto rank = [&](int r) { tcp_communicator({"file://" + path, r, 2})->barrier(); };
    std::thread root(rank, 0);
    stranger.join();
    rank(1);
    root.join();
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Tcp, ranks_meet_by_ipv6) {
    try {
        free_port("::1");
    } catch (const CommunicationError& error) {
        GTEST_SKIP() << "there is no IPv6: " << error.what();
    }
    std::vector<std::string> errors;
    for (int attempt = 0; attempt < 10; ++attempt) {
        errors = run_tcp(4, "tcp://[::1]:" + std::to_string(free_port("::1")),
                         [](const std::shared_ptr<Communicator>& comm) {
                             EXPECT_EQ(comm->allreduce(Array::scalar<int32_t>(1)).item<int>(), 4);
                             EXPECT_EQ(comm->split(comm->rank() % 2, 0)
                                           ->allreduce(Array::scalar<int32_t>(1))
                                           .item<int>(),
                                       2);
                             comm->barrier();
                         });
        if (errors[0].find("cannot listen") == std::string::npos) break;
    }
    EXPECT_EQ(errors, std::vector<std::string>(4));
}

/// Silent callers, and one of another job that is larger.
TEST(Tcp, strangers_neither_delay_nor_end_a_rendezvous) {
    TimeoutScope timeout("4");
    const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (int attempt = 0; attempt < 10; ++attempt) {
        const int port = free_port();
        const auto rank = [&](int r) {
            return error_of([&] {
                tcp_communicator({"tcp://127.0.0.1:" + std::to_string(port), r, 2})->barrier();
            });
        };
        std::string error;
        std::thread root([&] { error = rank(0); });
        std::vector<Socket> strangers;
        while (strangers.size() < 6 && std::chrono::steady_clock::now() < soon)
            if (Socket call = connect_to("127.0.0.1", port, soon))
                strangers.push_back(std::move(call));
        OutgoingCall call(std::move(strangers.back()), {1, 99, 0, 0}, "");
        EXPECT_EQ(call.wait(soon), OutgoingCall::State::refused) << "it is sent away";
        EXPECT_EQ(call.answer(), Answer::wrong_size);
        const std::string other = rank(1);
        root.join();
        if (error.find("cannot listen") != error.npos)
            continue;  // Another process has taken the port.
        EXPECT_EQ(error, "");
        EXPECT_EQ(other, "");
        return;
    }
    FAIL() << "no port is free";
}

TEST(Tcp, the_file_is_for_its_user_alone) {
    std::string path = file_place("mode").substr(7);
    struct stat status{};
    std::thread root([&] { tcp_communicator({"file://" + path, 0, 2})->barrier(); });
    while (stat(path.c_str(), &status) != 0) std::this_thread::yield();
    tcp_communicator({"file://" + path, 1, 2})->barrier();
    root.join();
    EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(Tcp, who_does_not_come_is_named) {
    TimeoutScope timeout("0.3");
    auto message = [](const std::string& place, int rank, int size) -> std::string {
        try {
            tcp_communicator({place, rank, size});
        } catch (const CommunicationError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_THAT(message(file_place("late"), 0, 3),
                HasSubstr("rank 0 has waited 0.3 s for rank 1, 2"));
    std::filesystem::remove(file_place("late").substr(7));
    EXPECT_THAT(message(file_place("nobody"), 1, 2),
                HasSubstr("rank 1 has waited 0.3 s for rank 0"));
}

TEST(Tcp, a_rank_that_has_left_is_named) {
    std::vector<std::string> errors =
        run_tcp(2, file_place("left"), [](const std::shared_ptr<Communicator>& comm) {
            if (comm->rank() == 0) comm->recv(1, 3);
        });
    EXPECT_THAT(errors[0], HasSubstr("recv: rank 0 waits for rank 1, which has left the group"));
}

TEST(Tcp, wrong_places_say_what_is_right) {
    EXPECT_THROW(tcp_communicator({"here", 0, 2}), ValueError);
    EXPECT_THROW(tcp_communicator({"tcp://host", 0, 2}), ValueError);
    EXPECT_THROW(tcp_communicator({"tcp://host:99999", 0, 2}), ValueError);
    EXPECT_THROW(tcp_communicator({"file:///tmp/x", 2, 2}), ValueError);
    unsetenv("CATENA_RENDEZVOUS");
    EXPECT_THROW(Rendezvous::from_environment(), ValueError);
}

/// Two processes by the shell alone; the output of both.
testing::CommandResult two_processes(const std::string& arguments,
                                     const std::string& environment = "") {
    static int number = 0;
    std::string start = "CATENA_RENDEZVOUS=" + file_place("process" + std::to_string(number++)) +
                        " CATENA_SIZE=2 CATENA_NUM_THREADS=1 " + environment + " timeout 200 ";
    std::string program = testing::program("mpi_ranks") + " " + arguments;
    return testing::run("{ CATENA_RANK=1 " + start + program + " & CATENA_RANK=0 " + start +
                        program + "; status=$?; wait; exit $status; }");
}

TEST(TcpProcesses, train_without_mpi_and_name_a_killed_rank) {
    std::string folder = ::testing::TempDir() + std::to_string(getpid());
    testing::CommandResult through = two_processes("train " + folder + "_tcp_through 0");
    EXPECT_EQ(through.status, 0) << through.output;
    EXPECT_THAT(through.output, HasSubstr("parameters "));
    testing::CommandResult killed =
        two_processes("train " + folder + "_tcp_killed 0 4", "CATENA_COMM_TIMEOUT=600");
    EXPECT_NE(killed.status, 0);
    EXPECT_THAT(killed.output, HasSubstr("rank 1"));
}

TEST(TcpProcesses, pure_nccl_meets_without_mpi) {
    testing::CommandResult result = testing::run(
        "CATENA_RENDEZVOUS=" + file_place("nccl") + " CATENA_SIZE=1 CATENA_RANK=0 timeout 200 " +
        testing::program("mpi_ranks") + " create pure_nccl");
    // It gets as far as its GPU.
    EXPECT_THAT(result.output,
                AnyOf(HasSubstr("nccl, 1 ranks"), HasSubstr("pure_nccl): rank 0: cuda:0: no "),
                      HasSubstr("pure_nccl): rank 0: NCCL cannot be used"),
                      HasSubstr("no NCCL plug-in found in")));
}

}  // namespace
}  // namespace catena
