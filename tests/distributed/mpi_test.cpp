// What happens when a process of several ends: mpirun starts mpi_ranks (tests/distributed_ranks).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <unistd.h>

#include "tests/support/command.h"

namespace catena {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class MpiFailure : public ::testing::Test {
protected:
    void SetUp() override {
        if (!CATENA_HAS_MPI) GTEST_SKIP() << "built without MPI";
        if (testing::run("mpirun --version").status != 0) GTEST_SKIP() << "there is no mpirun";
    }
    /// Ranks that lose one end within a minute, long before CATENA_COMM_TIMEOUT.
    static testing::CommandResult ranks(const std::string& arguments) {
        testing::CommandResult result = testing::run(
            "CATENA_COMM_TIMEOUT=600 CATENA_NUM_THREADS=1 timeout 60 mpirun "
            "--allow-run-as-root --oversubscribe --bind-to none -np 2 " +
            testing::program("mpi_ranks") + " " + arguments);
        EXPECT_NE(result.status, 124) << "the ranks do not end: " << result.output;
        return result;
    }
    static std::string parameters_in(const std::string& output) {
        size_t at = output.find("parameters ");
        return at == output.npos ? "none: " + output : output.substr(at, 27);
    }
};

TEST_F(MpiFailure, a_killed_rank_ends_the_others_and_training_goes_on_from_the_snapshot) {
    std::string folder = ::testing::TempDir() + std::to_string(getpid());
    testing::CommandResult through = ranks("train " + folder + "_mpi_through 0");
    ASSERT_EQ(through.status, 0) << through.output;

    testing::CommandResult killed = ranks("train " + folder + "_mpi_killed 0 4");
    EXPECT_NE(killed.status, 0);
    EXPECT_THAT(killed.output, HasSubstr("process rank 1"));
    EXPECT_EQ(killed.output.find("parameters "), std::string::npos);

    testing::CommandResult resumed = ranks("train " + folder + "_mpi_killed 4");
    ASSERT_EQ(resumed.status, 0) << resumed.output;
    EXPECT_EQ(parameters_in(resumed.output), parameters_in(through.output));
}

TEST_F(MpiFailure, an_error_on_one_rank_ends_the_others) {
    testing::CommandResult result = ranks("throw");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("rank 1 has had enough"));
}

TEST_F(MpiFailure, a_rank_that_does_not_come_is_named) {
    testing::CommandResult result = ranks("late");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("barrier: rank 0 has waited 2 s for rank 1"));
}

TEST_F(MpiFailure, a_call_after_one_that_failed_quotes_it_and_no_memory_is_overwritten) {
    for (const char* shared : {"0", "1"}) {
        setenv("CATENA_SHARED_MEMORY", shared, 1);
        const std::string file =
            ::testing::TempDir() + std::to_string(getpid()) + "_given_up_" + shared;
        testing::CommandResult result = ranks("again " + file);
        unsetenv("CATENA_SHARED_MEMORY");
        std::filesystem::remove(file);
        EXPECT_NE(result.status, 0);
        EXPECT_THAT(result.output,
                    HasSubstr("attempt 0: allreduce: rank 0 has waited 0.3 s for rank 1"));
        EXPECT_THAT(result.output, HasSubstr("attempt 1: allreduce: this communicator of rank 0 "
                                             "has ended with an earlier error"));
        EXPECT_THAT(result.output, HasSubstr("rank 0 has seen enough"));
        EXPECT_EQ(result.output.find("overwritten"), std::string::npos) << result.output;
    }
}

TEST_F(MpiFailure, an_uncaught_exception_names_its_rank_and_ends_the_others) {
    testing::CommandResult result = ranks("uncaught");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("uncaught exception on rank 1: nobody catches this"));
}

TEST(PlugIns, what_is_missing_is_said) {
    testing::CommandResult result =
        testing::run("CATENA_NUM_THREADS=1 " + testing::program("mpi_ranks") + " create pure_nccl");
    EXPECT_THAT(result.output,
                AnyOf(HasSubstr("nccl, 1 ranks"), HasSubstr("pure_nccl): rank 0: cuda:0: no "),
                      HasSubstr("pure_nccl): rank 0: NCCL cannot be used"),
                      HasSubstr("no NCCL plug-in found in"), HasSubstr("no MPI plug-in found in")));
}

}  // namespace
}  // namespace catena
