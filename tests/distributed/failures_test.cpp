// What a communicator does after a transfer that failed, and what is refused before anything is
// sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/comm/create.h"
#include "runtime/ops/communication/communication.h"
#include "tests/distributed/tcp_ranks.h"
#include "tests/distributed/timeout.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using OnRank = std::function<void(const std::shared_ptr<Communicator>&)>;

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

/// Threads, and processes (as threads) with and without shared memory.
class Failures : public ::testing::TestWithParam<const char*> {
protected:
    void TearDown() override { unsetenv("CATENA_SHARED_MEMORY"); }
    void run(int size, const OnRank& f) {
        const std::string kind = GetParam();
        if (kind == "local") return run_local(size, f);
        setenv("CATENA_SHARED_MEMORY", kind == "tcp" ? "0" : "1", 1);
        EXPECT_EQ(run_tcp(size, file_place("failures"), f), std::vector<std::string>(size_t(size)));
    }
};

INSTANTIATE_TEST_SUITE_P(kinds, Failures, ::testing::Values("local", "tcp", "shared_memory"),
                         [](const auto& info) { return std::string(info.param); });

constexpr const char* late = "barrier: rank 0 has waited 0.3 s for rank 1";

TEST_P(Failures, end_the_communicator_and_later_calls_quote_the_first_error) {
    std::atomic<bool> failed{false};
    run(2, [&](const std::shared_ptr<Communicator>& comm) {
        const Array x = Array::full({Dtype::float32, {5000}}, 1);
        if (comm->rank() == 1) {
            while (!failed) std::this_thread::yield();
            const auto barrier = [&] { return error_of([&] { comm->barrier(); }); };
            // At once, not after its own timeout; of the first barrier rank 0 has sent its part.
            std::string text = barrier();
            if (text == "no error") text = barrier();
            EXPECT_THAT(text,
                        HasSubstr("barrier: rank 1 waits for rank 0, which has left the group"));
            EXPECT_THAT(error_of([&] { comm->recv(0); }), HasSubstr("ended with an earlier error"));
            return;
        }
        {
            TimeoutScope timeout("0.3");
            EXPECT_EQ(error_of([&] { comm->barrier(); }), late);
        }
        failed = true;
        const std::function<void()> calls[] = {
            [&] { comm->barrier(); },
            [&] { comm->allreduce(x); },
            [&] { comm->send(x, 1); },
            [&] { comm->recv(1); },
            [&] { comm->bcast_bytes("x"); },
            [&] { comm->split(0, 0); },
            [&] { comm->type_of_recv(1); },
            [&] { comm->start_allreduce(comm->transfer_buffer(x.type()), Reduction::sum); },
        };
        for (const auto& call : calls)
            EXPECT_THAT(error_of(call), AllOf(HasSubstr("rank 0 has ended with an earlier error"),
                                              HasSubstr(late)));
        comm->finalize();
    });
}

TEST_P(Failures, of_one_bucket_are_those_of_all_behind_it) {
    std::atomic<bool> failed{false};
    run(2, [&](const std::shared_ptr<Communicator>& comm) {
        if (comm->rank() == 1) {
            while (!failed) std::this_thread::yield();
            return;
        }
        TimeoutScope timeout("0.3");
        int64_t tickets[3];
        for (int64_t& ticket : tickets)
            ticket = comm->start_allreduce(comm->transfer_buffer({Dtype::float32, {5000}}),
                                           Reduction::sum);
        const std::string first = error_of([&] { comm->wait_started(tickets[0]); });
        EXPECT_EQ(first, "allreduce: rank 0 has waited 0.3 s for rank 1");
        for (int i : {1, 2})
            EXPECT_THAT(error_of([&] { comm->wait_started(tickets[i]); }),
                        AllOf(HasSubstr("earlier error"), HasSubstr(first)));
        failed = true;
    });
}

TEST_P(Failures, in_mid_message_give_nobody_wrong_elements) {
    std::atomic<bool> failed{false};
    run(2, [&](const std::shared_ptr<Communicator>& comm) {
        const Array x = Array::full({Dtype::float32, {8'000'000}}, 1);  // More than sockets hold.
        if (comm->rank() == 0) {
            TimeoutScope timeout("0.3");
            EXPECT_THAT(error_of([&] { comm->send(x, 1); }),
                        HasSubstr("send: rank 0 has waited 0.3 s for rank 1"));
            EXPECT_THAT(error_of([&] { comm->send(x, 1); }), HasSubstr("earlier error"));
            failed = true;
            return;
        }
        while (!failed) std::this_thread::yield();
        EXPECT_THAT(error_of([&] { comm->recv(0); }),
                    HasSubstr("recv: rank 1 waits for rank 0, which has left the group"));
    });
}

TEST_P(Failures, of_arguments_leave_the_communicator_usable) {
    run(2, [&](const std::shared_ptr<Communicator>& comm) {
        const Array x = Array::full({Dtype::float32, {3}}, 1), none,
                    numbers = Array::scalar<int32_t>(1);
        const Array pair[] = {x, none};
        const int other = 1 - comm->rank();
        const std::function<void()> calls[] = {
            [&] { comm->allreduce(none); },
            [&] { comm->allgather(none); },
            [&] { comm->gather(none); },
            [&] { comm->alltoall(pair); },
            [&] { comm->reduce_scatter(pair); },
            [&] { comm->scatter(pair, comm->rank()); },
            [&] { comm->bcast(none, comm->rank()); },
            [&] { comm->send(none, other); },
            [&] { comm->start_allreduce(none, Reduction::sum); },
            [&] { comm->allreduce(numbers, Reduction::mean); },
            [&] { comm->start_allreduce(numbers, Reduction::mean); },
            [&] { comm->send(x, 7); },
            [&] { comm->recv(other, -1); },
            [&] { comm->bcast_bytes("x", 0, std::string(48, 'x')); },
        };
        for (const auto& call : calls) EXPECT_NE(error_of(call), "no error");
        EXPECT_THAT(error_of(calls[0]),
                    HasSubstr("allreduce: rank " + std::to_string(comm->rank()) +
                              " gives an undefined array"));
        EXPECT_EQ(comm->allreduce(numbers).item<int>(), 2);
        comm->barrier();
    });
}

TEST(UndefinedVariables, are_refused_by_the_name_of_the_function) {
    const std::shared_ptr<Communicator> comm = local_communicator();
    const Variable none, pair[] = {none};
    const std::pair<const char*, std::function<void()>> calls[] = {
        {"allreduce", [&] { parallel::allreduce(*comm, none); }},
        {"allgather", [&] { parallel::allgather(*comm, none); }},
        {"gather", [&] { parallel::gather(*comm, none); }},
        {"alltoall", [&] { parallel::alltoall(*comm, pair); }},
        {"scatter", [&] { parallel::scatter(*comm, pair); }},
        {"start_bucket", [&] { parallel::start_bucket(*comm, pair, Dtype::float32, 0); }},
    };
    for (const auto& [name, call] : calls)
        EXPECT_EQ(error_of(call).substr(0, error_of(call).find(" (at")),
                  std::string(name) + ": rank 0 gives an undefined variable");
    EXPECT_THAT(error_of([&] { parallel::pseudo_connect(none, Variable(Array::scalar(1.f))); }),
                HasSubstr("pseudo_connect: the delegate variable is undefined"));
}

TEST_P(Failures, of_calls_that_do_not_match_name_both_sides) {
    run(2, [&](const std::shared_ptr<Communicator>& comm) {
        const Array x = Array::full({Dtype::float32, {3}}, 1);
        const bool first = comm->rank() == 0;
        EXPECT_THAT(error_of([&] { comm->allreduce(x, first ? Reduction::sum : Reduction::mean); }),
                    HasSubstr(first ? "allreduce: rank 0 asks for the sum, rank 1 for the mean"
                                    : "allreduce: rank 1 asks for the mean, rank 0 for the sum"));
        const int64_t ticket = comm->start_allreduce(Array::full({Dtype::float32, {3}}, 1),
                                                     first ? Reduction::sum : Reduction::mean);
        EXPECT_THAT(error_of([&] { comm->wait_started(ticket); }), HasSubstr("asks for the"));
        EXPECT_THAT(error_of([&] { comm->allgather_bytes("x", first ? "names" : "sizes"); }),
                    AllOf(HasSubstr("allgather_bytes ('names') of rank 0"),
                          HasSubstr("allgather_bytes ('sizes') of rank 1")));
        EXPECT_THAT(error_of([&] {
                        first ? comm->bcast(x).size() : int64_t(comm->bcast_bytes("").size());
                    }),
                    AllOf(HasSubstr("bcast of rank 0"), HasSubstr("bcast_bytes of rank 1")));
        if (first)
            comm->send_bytes("x", 1, 0, "name");
        else
            EXPECT_THAT(error_of([&] { comm->recv_bytes(0, 0, "size"); }),
                        HasSubstr("recv_bytes ('size') of rank 1 with tag 0 meets send_bytes "
                                  "('name') of rank 0"));
        if (first)
            comm->send_bytes("x", 1);
        else
            EXPECT_THAT(error_of([&] { comm->recv(0); }),
                        HasSubstr("recv of rank 1 with tag 0 meets send_bytes of rank 0"));
        if (first)
            comm->bcast(x);
        else {
            comm->type_of_bcast();
            EXPECT_THAT(error_of([&] { comm->allreduce(x); }),
                        HasSubstr("allreduce: the type of bcast with root 0 was asked for"));
            comm->bcast(Array());
        }
        EXPECT_EQ(comm->allreduce(x).to_vector<float>(), std::vector<float>(3, 2));
        comm->barrier();
    });
}

}  // namespace
}  // namespace catena
