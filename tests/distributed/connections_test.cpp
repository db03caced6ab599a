// How many connections a rank has that trains with many others over TCP, each a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/command.h"

namespace catena {
namespace {

/// Without shared memory, as if each were on a machine of its own.
TEST(Connections, of_64_ranks_that_add_gradients_are_12_at_most) {
    const testing::CommandResult result = testing::run(
        "CATENA_SHARED_MEMORY=0 CATENA_NUM_THREADS=1 CATENA_COMM_TIMEOUT=300 timeout 400 " +
        testing::program("catena") + " launch --no-prefix -n 64 " + testing::program("mpi_ranks") +
        " connections");
    EXPECT_EQ(result.status, 0) << result.output;
    const size_t at = result.output.find("at most ");
    ASSERT_NE(at, result.output.npos) << result.output;
    const int most = std::atoi(result.output.c_str() + at + 8);
    EXPECT_GE(most, 6) << "those of the tree and of the sums";
    EXPECT_LE(most, 12);
}

}  // namespace
}  // namespace catena
