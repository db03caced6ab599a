// What a rank says that waits in one of MPI's collectives for a process that has stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace catena {
namespace {

TEST(MpiCollectives, name_the_call_in_which_a_rank_waits_for_one_that_has_stopped) {
    if (!CATENA_HAS_MPI) GTEST_SKIP() << "built without MPI";
    if (testing::run("mpirun --version").status != 0) GTEST_SKIP() << "there is no mpirun";
    const testing::CommandResult result = testing::run(
        "CATENA_SHARED_MEMORY=0 CATENA_NUM_THREADS=1 timeout 60 mpirun --allow-run-as-root "
        "--oversubscribe --bind-to none -np 2 " +
        testing::program("mpi_ranks") + " stops");
    EXPECT_NE(result.status, 0);
    EXPECT_NE(result.status, 124) << "the ranks do not end: " << result.output;
    EXPECT_THAT(result.output,
                ::testing::HasSubstr("bcast: rank 0 has waited 1 s in MPI_Ibcast of 1000 bytes; "
                                     "all ranks had begun this call, so one has stopped since"));
}

}  // namespace
}  // namespace catena
