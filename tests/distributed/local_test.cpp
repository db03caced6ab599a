#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include <unistd.h>

#include "runtime/comm/create.h"
#include "tests/distributed/collectives.h"
#include "tests/distributed/timeout.h"
#include "tests/distributed/training.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class LocalCollectives : public ::testing::TestWithParam<int> {};

TEST_P(LocalCollectives, move_what_they_should) {
    run_local(GetParam(),
              [](const std::shared_ptr<Communicator>& comm) { check_collectives(*comm); });
}

TEST_P(LocalCollectives, split_into_groups) {
    run_local(GetParam(), [](const std::shared_ptr<Communicator>& comm) { check_split(*comm); });
}

TEST_P(LocalCollectives, overlap_transfers_in_the_background) {
    run_local(GetParam(),
              [](const std::shared_ptr<Communicator>& comm) { check_background(*comm); });
}

TEST_P(LocalCollectives, are_differentiable_functions) {
    run_local(GetParam(),
              [](const std::shared_ptr<Communicator>& comm) { check_functions(*comm); });
}

TEST_P(LocalCollectives, train_as_one_rank_does) {
    run_local(GetParam(), [](const std::shared_ptr<Communicator>& comm) { check_training(comm); });
}

TEST_P(LocalCollectives, double_buffering_uses_the_gradients_of_before) {
    run_local(GetParam(),
              [](const std::shared_ptr<Communicator>& comm) { check_double_buffering(comm); });
}

TEST_P(LocalCollectives, the_first_update_makes_parameters_equal) {
    run_local(GetParam(),
              [](const std::shared_ptr<Communicator>& comm) { check_first_update(comm); });
}

TEST_P(LocalCollectives, serve_datasets_evaluators_snapshots_and_links) {
    run_local(GetParam(), [](const std::shared_ptr<Communicator>& comm) {
        check_parallel_tools(comm, ::testing::TempDir() + "local_" + std::to_string(getpid()));
    });
}

TEST_P(LocalCollectives, serve_trainers_and_spread_models) {
    run_local(GetParam(), [](const std::shared_ptr<Communicator>& comm) {
        check_trainer_tools(comm, ::testing::TempDir() + "local_" + std::to_string(getpid()));
    });
}

INSTANTIATE_TEST_SUITE_P(ranks, LocalCollectives, ::testing::Values(1, 2, 3, 4),
                         ::testing::PrintToStringParamName());

/// The message with which the group of `size` ends.
std::string message_of(int size, const std::function<void(Communicator&)>& f) {
    try {
        run_local(size, [&](const std::shared_ptr<Communicator>& comm) { f(*comm); });
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

TEST(LocalErrors, different_shapes_name_ranks_and_shapes) {
    std::string text = message_of(2, [](Communicator& comm) {
        comm.allreduce(Array::zeros({Dtype::float32, {2, 3 + comm.rank()}}));
    });
    EXPECT_THAT(text, AllOf(HasSubstr("allreduce: rank"), HasSubstr("float32[2,3]"),
                            HasSubstr("float32[2,4]")));
}

TEST(LocalErrors, different_calls_name_both) {
    std::string text = message_of(2, [](Communicator& comm) {
        Array x = Array::zeros({Dtype::float32, {2}});
        if (comm.rank() == 0)
            comm.allreduce(x);
        else
            comm.bcast(x, 1);
    });
    EXPECT_THAT(text, AllOf(HasSubstr("allreduce"), HasSubstr("bcast"), HasSubstr("same order")));
}

TEST(LocalErrors, a_failing_rank_ends_the_others_and_is_named) {
    std::atomic<int> told{0};
    std::string text = message_of(4, [&](Communicator& comm) {
        if (comm.rank() == 2) fail<ValueError>("the disk is full");
        try {
            comm.barrier();
        } catch (const CommunicationError& error) {
            if (std::string(error.what()).find("rank 2 failed: the disk is full") !=
                std::string::npos)
                ++told;
            throw;
        }
    });
    EXPECT_EQ(text, "the disk is full");
    EXPECT_EQ(told, 3);
}

TEST(LocalErrors, a_rank_that_has_left_is_named) {
    std::string text = message_of(2, [](Communicator& comm) {
        if (comm.rank() == 0) comm.barrier();
    });
    EXPECT_THAT(text, HasSubstr("barrier: rank 0 waits for rank 1, which has left"));
}

TEST(LocalErrors, a_late_rank_is_named) {
    TimeoutScope timeout("0.2");
    std::atomic<bool> over{false};
    std::string text = message_of(2, [&](Communicator& comm) {
        if (comm.rank() == 0) {
            try {
                comm.barrier();
            } catch (...) {
                over = true;
                throw;
            }
        }
        while (!over) std::this_thread::yield();
    });
    EXPECT_THAT(text, HasSubstr("barrier: rank 0 has waited 0.2 s for rank 1"));
}

TEST(CreateCommunicator, knows_its_names) {
    EXPECT_EQ(create_communicator("local")->size(), 1);
    EXPECT_THROW(create_communicator("hierarchical"), ValueError);
    EXPECT_THROW(create_communicator("local", {.allreduce_grad_dtype = Dtype::int32}), ValueError);
}

TEST(CreateCommunicator, a_finalized_one_says_so) {
    run_local(1, [](const std::shared_ptr<Communicator>& comm) {
        comm->finalize();
        EXPECT_THROW(comm->barrier(), CommunicationError);
    });
}

}  // namespace
}  // namespace catena
