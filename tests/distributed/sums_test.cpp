// The order of sums: set, default, checked, inherited; and what it promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/comm/create.h"
#include "tests/distributed/counted_ranks.h"
#include "tests/distributed/engine_sums.h"

namespace catena {
namespace {

using ::testing::HasSubstr;

class SumsByEngine : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(ranks, SumsByEngine, ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 13),
                         ::testing::PrintToStringParamName());

TEST_P(SumsByEngine, are_right_and_equal_on_all_ranks) {
    traffic_of(GetParam(), [](CountedCommunicator& comm) { check_engine_sums(comm); });
}

TEST(Sums, are_in_rank_order_for_up_to_16_ranks) {
    for (const int n : {1, 16, 17})
        traffic_of(n, [&](CountedCommunicator& comm) {
            EXPECT_EQ(comm.sums(), n > 16 ? Sums::engine : Sums::rank_order);
            comm.set_sums(Sums::rank_order);
            EXPECT_EQ(comm.sums(), Sums::rank_order);
            comm.set_sums({});
            EXPECT_EQ(comm.sums(), n > 16 ? Sums::engine : Sums::rank_order);
        });
}

TEST(Sums, of_split_groups_are_as_set_or_as_their_size_says) {
    traffic_of(20, [](CountedCommunicator& comm) {
        EXPECT_EQ(comm.split(comm.rank() % 2, 0)->sums(), Sums::rank_order);
        comm.set_sums(Sums::engine);
        EXPECT_EQ(comm.split(comm.rank() % 2, 0)->sums(), Sums::engine);
    });
}

TEST(Sums, set_differently_are_an_error_that_names_both_and_passes) {
    traffic_of(3, [](CountedCommunicator& comm) {
        comm.set_sums(comm.rank() == 1 ? Sums::engine : Sums::rank_order);
        try {
            comm.allreduce(Array::full({Dtype::float32, {3}}, 1));
            ADD_FAILURE() << "rank " << comm.rank();
        } catch (const CommunicationError& error) {
            EXPECT_THAT(error.what(),
                        HasSubstr(comm.rank() == 1
                                      ? "allreduce: the order of sums is engine on rank 1 and "
                                        "rank_order on rank 0; CommunicatorOptions::sums must be"
                                      : "and engine on rank 1"));
        }
        comm.set_sums({});
        EXPECT_EQ(comm.allreduce(Array::scalar<int32_t>(1)).item<int>(), 3);
    });
}

TEST(Sums, are_an_option_of_create_communicator) {
    EXPECT_EQ(create_communicator("local")->sums(), Sums::rank_order);
    EXPECT_EQ(create_communicator("local", {.sums = Sums::engine})->sums(), Sums::engine);
    create_communicator("local")->set_sums({});  // It is this thread's.
}

}  // namespace
}  // namespace catena
