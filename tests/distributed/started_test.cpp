// Processes started as people start them: each finds the others by create_communicator().
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <sys/wait.h>
#include <unistd.h>

#include "runtime/comm/tcp/socket.h"
#include "tests/distributed/tcp_ranks.h"
#include "tests/support/command.h"

namespace catena {
namespace {

using ::testing::HasSubstr;

size_t count_of(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++count;
    return count;
}

std::string make_auto() { return testing::program("mpi_ranks") + " create auto"; }

/// A port that was free a moment ago, and so was the next one: below those that the system gives
/// away.
int free_pair() {
    const std::string host = "127.0.0.1";
    for (int port = 10000 + getpid() % 20000;; ++port) try {
            const Socket first = listen_at(host, port, 1), second = listen_at(host, port + 1, 1);
            return port;
        } catch (const Error&) {
        }
}

TEST(StartedProcesses, alone_is_a_group_of_one) {
    const auto result = testing::run(make_auto());
    EXPECT_EQ(result.output, "local, 1 ranks\n");
}

TEST(StartedProcesses, with_the_variables_of_torchrun_meet_by_tcp) {
    const std::string port = std::to_string(free_pair());
    std::string commands;
    for (const char* rank : {"1", "0"})
        commands +=
            "TORCHELASTIC_RUN_ID=x TORCHELASTIC_USE_AGENT_STORE=True MASTER_ADDR=127.0.0.1 "
            "MASTER_PORT=" +
            port + " WORLD_SIZE=2 RANK=" + rank + " LOCAL_RANK=" + rank +
            " CATENA_COMM_TIMEOUT=60 " + make_auto() + " & ";
    const auto result = testing::run("{ " + commands + " wait; }");
    EXPECT_EQ(count_of(result.output, "tcp, 2 ranks\n"), 2) << result.output;
}

TEST(StartedProcesses, by_torchrun_meet_by_tcp) {
    const char* given = std::getenv("CATENA_TEST_TORCHRUN");
    const std::string torchrun = given ? given : "torchrun";
    if (testing::run(torchrun + " --help").status != 0)
        GTEST_SKIP() << "there is no torchrun in PATH; CATENA_TEST_TORCHRUN names one";
    const auto result =
        testing::run(torchrun + " --standalone --no-python --nproc_per_node 2 " + make_auto());
    EXPECT_EQ(count_of(result.output, "tcp, 2 ranks\n"), 2) << result.output;
}

TEST(StartedProcesses, by_mpirun_meet_by_mpi) {
    if (!CATENA_HAS_MPI) GTEST_SKIP() << "built without MPI";
    if (testing::run("mpirun --version").status != 0) GTEST_SKIP() << "there is no mpirun";
    const auto result = testing::run(
        "mpirun --allow-run-as-root --oversubscribe --bind-to none -np 2 " + make_auto());
    EXPECT_EQ(count_of(result.output, "mpi, 2 ranks\n"), 2) << result.output;
}

/// An MPI library that knows nothing of the launcher makes each process a group of one: silently,
/// each would train by itself.
TEST(StartedProcesses, that_mpi_does_not_know_are_not_taken_for_single_ones) {
    if (!CATENA_HAS_MPI) GTEST_SKIP() << "built without MPI";
    const auto result =
        testing::run("PMI_RANK=0 PMI_SIZE=2 " + testing::program("mpi_ranks") + " create flat");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("this is rank 0 of 2 for mpiexec of MPICH"));
    EXPECT_THAT(result.output, HasSubstr("rank 0 of 1 for MPI"));
}

class Slurm : public ::testing::Test {
protected:
    /// The output of a shell command in a cluster of one node.
    static std::string in_cluster(const std::string& command) {
        const std::string folder = ::testing::TempDir() + "slurm_" + std::to_string(getpid());
        const auto result =
            testing::run("timeout 120 " CATENA_SOURCE_DIR "/tests/distributed/slurm_cluster.sh " +
                         folder + " sh -c '" + command + "'");
        std::filesystem::remove_all(folder);
        if (WEXITSTATUS(result.status) == 77) return "";
        EXPECT_EQ(result.status, 0) << result.output;
        return result.output;
    }
};

TEST_F(Slurm, ranks_of_srun_meet_by_tcp) {
    const std::string output = in_cluster("srun -n 2 " + make_auto());
    if (output.empty()) GTEST_SKIP() << "there is no Slurm (slurmctld, slurmd), or it cannot run";
    EXPECT_EQ(count_of(output, "tcp, 2 ranks\n"), 2) << output;
}

TEST_F(Slurm, ranks_of_srun_with_pmix_meet_by_mpi) {
    if (!CATENA_HAS_MPI) GTEST_SKIP() << "built without MPI";
    const std::string output = in_cluster("srun --mpi=pmix -n 2 " + make_auto());
    if (output.empty()) GTEST_SKIP() << "there is no Slurm (slurmctld, slurmd), or it cannot run";
    EXPECT_EQ(count_of(output, "mpi, 2 ranks\n"), 2) << output;
}

}  // namespace
}  // namespace catena
