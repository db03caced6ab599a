#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>

#include <unistd.h>

#include "runtime/comm/create.h"
#include "runtime/comm/dummy.h"
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

TEST_P(LocalCollectives, divide_the_update) {
    run_local(GetParam(), [](const std::shared_ptr<Communicator>& comm) { check_sharding(comm); });
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

TEST(LocalErrors, debug_mode_names_what_is_not_finite) {
    auto message = [](const std::function<void(Communicator&, const Variable&)>& f) {
        return message_of(2, [&](Communicator& comm) {
            auto debug = using_config(&Config::debug, true);
            const double value = comm.rank() == 1 ? INFINITY : 1;
            f(comm, Variable(Array::full({Dtype::float32, {3}}, value), false));
        });
    };
    const auto sum = [](Communicator& comm, const Variable& x) { parallel::allreduce(comm, x); };
    EXPECT_THAT(message(sum),
                HasSubstr("allreduce: float32[3] over the ranks has an element that is inf"));
    const auto bucket = [](Communicator& comm, const Variable& x) {
        Variable ticket = parallel::start_bucket(comm, std::span(&x, 1), Dtype::float32, 0);
        parallel::wait_bucket(comm, ticket, std::span(&x.type(), 1));
    };
    EXPECT_THAT(message(bucket), HasSubstr("has an element that is inf (debug mode)"));
}

TEST(Dummy, keeps_gradients_where_they_are_and_does_the_rest) {
    run_local(2, [](const std::shared_ptr<Communicator>& real) {
        auto comm = dummy_communicator(real);
        EXPECT_EQ(comm->name(), "dummy");
        EXPECT_EQ(comm->intra_size(), 2);
        const Variable x(Array::full({Dtype::float32, {3}}, comm->rank() + 1), false);
        EXPECT_EQ(comm->allreduce(x.array()).to_vector<float>(), std::vector<float>(3, 3));
        Variable ticket = parallel::start_bucket(*comm, std::span(&x, 1), Dtype::float16, 0);
        Variables means = parallel::wait_bucket(*comm, ticket, std::span(&x.type(), 1));
        EXPECT_EQ(means[0].array().to_vector<float>(),
                  std::vector<float>(3, float(comm->rank() + 1)));
        EXPECT_EQ(comm->split(comm->rank(), 0)->name(), "dummy");
        EXPECT_EQ(comm->split(0, 0)->allreduce(Array::scalar<int32_t>(1)).item<int>(), 2);
        real->barrier();
    });
}

TEST(CreateCommunicator, says_what_has_replaced_a_name) {
    for (const char* name : {"hierarchical", "two_dimensional", "single_node"}) {
        try {
            create_communicator(name);
            ADD_FAILURE() << name;
        } catch (const ValueError& error) {
            EXPECT_THAT(error.what(), AllOf(HasSubstr(name), HasSubstr("use pure_nccl")));
        }
    }
}

TEST(CreateCommunicator, knows_its_names) {
    EXPECT_EQ(create_communicator("local")->size(), 1);
    EXPECT_THROW(create_communicator("some"), ValueError);
    EXPECT_THROW(create_communicator("local", {.device = &cpu_device()}), ValueError);
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
