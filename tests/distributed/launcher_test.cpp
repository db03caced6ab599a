// What create_communicator() finds out about how a process was started, from variables alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "runtime/comm/create.h"
#include "runtime/comm/rendezvous.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

using ::testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

class Started : public ::testing::Test {
protected:
    void SetUp() override {
        for (const char* name :
             {"CATENA_RENDEZVOUS", "CATENA_RANK", "CATENA_SIZE", "OMPI_COMM_WORLD_RANK",
              "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PMIX_RANK", "RANK", "WORLD_SIZE",
              "MASTER_ADDR", "MASTER_PORT", "SLURM_STEP_ID", "TORCHELASTIC_RUN_ID"})
            unsetenv(name);
    }
    static Launched by(const Variables& variables) {
        for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
        return find_launched();
    }
    static std::string problem_of(const Variables& variables) {
        try {
            by(variables);
        } catch (const ValueError& error) {
            return error.what();
        }
        return "no error";
    }
};

const Variables open_mpi{{"OMPI_COMM_WORLD_RANK", "1"},
                         {"OMPI_COMM_WORLD_SIZE", "4"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
const Variables torchrun{{"TORCHELASTIC_RUN_ID", "9f"},
                         {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                         {"RANK", "3"},
                         {"WORLD_SIZE", "4"},
                         {"LOCAL_RANK", "1"},
                         {"LOCAL_WORLD_SIZE", "2"},
                         {"MASTER_ADDR", "node0"},
                         {"MASTER_PORT", "29500"}};
const Variables srun{{"SLURM_JOB_ID", "1234"},
                     {"SLURM_STEP_ID", "2"},
                     {"SLURM_PROCID", "2"},
                     {"SLURM_STEP_NUM_TASKS", "4"},
                     {"SLURM_STEP_NUM_NODES", "2"},
                     {"SLURM_LOCALID", "0"},
                     {"SLURM_STEP_NODELIST", "gpu[07-08]"}};

Variables with(Variables variables, const Variables& more) {
    for (const auto& [name, value] : more) variables[name] = value;
    return variables;
}

TEST_F(Started, by_nothing_is_one_process) {
    const Launched found = by({});
    EXPECT_EQ(found.launcher, "none");
    EXPECT_EQ(found.size, 1);
    EXPECT_EQ(chosen_communicator(found).name, "local");
    EXPECT_EQ(create_communicator()->size(), 1);
}

TEST_F(Started, by_mpirun_ranks_meet_by_mpi) {
    const Launched found = by(open_mpi);
    EXPECT_EQ(found.launcher, "mpirun");
    EXPECT_EQ(found.rank, 1);
    EXPECT_EQ(found.size, 4);
    EXPECT_EQ(found.local_rank, 1);
    EXPECT_EQ(found.local_size, 2);
    EXPECT_TRUE(found.serves_mpi);
    EXPECT_EQ(chosen_communicator(found).name, "flat");
    EXPECT_EQ(host_communicator(), "flat");
}

TEST_F(Started, by_mpich_ranks_meet_by_mpi) {
    const Launched found = by({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
    EXPECT_EQ(found.launcher, "mpiexec");
    EXPECT_EQ(found.size, 2);
    EXPECT_EQ(chosen_communicator(found).name, "flat");
}

TEST_F(Started, by_a_launcher_that_speaks_pmix_only_mpi_knows_the_size) {
    const Launched found = by({{"PMIX_RANK", "1"}});
    EXPECT_EQ(found.launcher, "pmix");
    EXPECT_EQ(found.size, 0);
    EXPECT_EQ(chosen_communicator(found).name, "flat");
}

TEST_F(Started, by_torchrun_ranks_meet_beside_the_port_of_its_store) {
    const Launched found = by(torchrun);
    EXPECT_EQ(found.launcher, "torchrun");
    EXPECT_EQ(found.rank, 3);
    EXPECT_EQ(found.local_rank, 1);
    EXPECT_EQ(found.rendezvous, "tcp://node0:29501");
    EXPECT_EQ(chosen_communicator(found).name, "tcp");
    EXPECT_EQ(host_communicator(), "tcp");
    EXPECT_EQ(by({{"MASTER_PORT", "65535"}}).rendezvous, "tcp://node0:65534");
    EXPECT_EQ(by({{"TORCHELASTIC_USE_AGENT_STORE", "False"}}).rendezvous, "tcp://node0:65535");
    EXPECT_EQ(by({{"MASTER_ADDR", "fe80::1"}}).rendezvous, "tcp://[fe80::1]:65535");
}

TEST_F(Started, by_an_operator_of_kubernetes_ranks_meet_at_the_masters_port) {
    const Launched found = by({{"RANK", "1"},
                               {"WORLD_SIZE", "2"},
                               {"MASTER_ADDR", "job-master-0"},
                               {"MASTER_PORT", "23456"}});
    EXPECT_EQ(found.launcher, "environment");
    EXPECT_EQ(found.rendezvous, "tcp://job-master-0:23456");
    EXPECT_FALSE(found.local_rank);
}

TEST_F(Started, by_srun_ranks_meet_at_the_first_node_at_a_port_of_the_step) {
    const Launched found = by(srun);
    EXPECT_EQ(found.launcher, "srun");
    EXPECT_EQ(found.rank, 2);
    EXPECT_EQ(found.size, 4);
    EXPECT_EQ(found.local_rank, 0);
    EXPECT_EQ(found.rendezvous, "tcp://gpu07:23640");  // 15000 + 1234 * 7 + 2
    EXPECT_EQ(chosen_communicator(found).name, "tcp");
    EXPECT_NE(by({{"SLURM_STEP_ID", "3"}}).rendezvous, found.rendezvous);
    EXPECT_EQ(by({{"SLURM_STEP_NUM_NODES", "1"}, {"SLURM_STEP_ID", "2"}}).rendezvous,
              "tcp://127.0.0.1:23640");
}

TEST_F(Started, by_srun_with_pmix_mpi_is_there) {
    const Launched found = by(with(srun, {{"PMIX_RANK", "2"}}));
    EXPECT_EQ(found.launcher, "srun");
    EXPECT_TRUE(found.serves_mpi);
}

TEST_F(Started, in_any_order_by_srun_the_place_cannot_be_derived) {
    const Launched found = by(with(srun, {{"SLURM_DISTRIBUTION", "arbitrary"}}));
    EXPECT_EQ(found.rendezvous, "");
    EXPECT_THROW(chosen_communicator(found), ValueError);
    const Launched told = by({{"CATENA_RENDEZVOUS", "tcp://gpu08:4000"}});
    EXPECT_EQ(told.rendezvous, "tcp://gpu08:4000");
    EXPECT_EQ(told.rank, 2);
}

TEST_F(Started, a_batch_script_of_slurm_is_no_rank) {
    EXPECT_EQ(by({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "1"}}).launcher,
              "none");
}

TEST_F(Started, a_launcher_within_srun_counts) {
    EXPECT_EQ(by(with(srun, torchrun)).launcher, "torchrun");
    EXPECT_EQ(by({{"CATENA_LAUNCHER", "srun"}}).rank, 2);
    EXPECT_EQ(by({{"CATENA_LAUNCHER", "none"}}).size, 1);
}

TEST_F(Started, mpirun_within_srun_counts) {
    EXPECT_EQ(by(with(srun, open_mpi)).launcher, "mpirun");
}

TEST_F(Started, catenas_own_variables_come_first) {
    const Variables own{
        {"CATENA_RENDEZVOUS", "file:///x/y"}, {"CATENA_RANK", "2"}, {"CATENA_SIZE", "4"}};
    const Launched found = by(with(srun, own));
    EXPECT_EQ(found.launcher, "catena");
    EXPECT_EQ(found.rendezvous, "file:///x/y");
    EXPECT_THAT(problem_of({{"CATENA_RANK", "1"}}),
                HasSubstr("CATENA_RANK=1, CATENA_SIZE=4 contradicts SLURM_PROCID=2, "
                          "SLURM_STEP_NUM_TASKS=4"));
    EXPECT_EQ(by({{"CATENA_LAUNCHER", "catena"}}).rank, 1);
}

TEST_F(Started, a_place_of_the_users_replaces_the_launchers) {
    const Launched found = by(with(open_mpi, {{"CATENA_RENDEZVOUS", "tcp://node0:4000"}}));
    EXPECT_EQ(found.launcher, "mpirun");
    EXPECT_EQ(chosen_communicator(found).name, "tcp");
    EXPECT_EQ(Rendezvous::from_environment().rank, 1);
}

TEST_F(Started, contradictions_are_errors_that_name_both) {
    EXPECT_THAT(
        problem_of(
            with(open_mpi,
                 {{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}})),
        HasSubstr("OMPI_COMM_WORLD_RANK=1, OMPI_COMM_WORLD_SIZE=4 contradicts RANK=0, "
                  "WORLD_SIZE=4; unset one of them, or set CATENA_LAUNCHER to 'mpirun' or "
                  "'environment'"));
    EXPECT_EQ(problem_of({{"RANK", "1"}}), "no error");
}

TEST_F(Started, half_a_set_of_variables_is_an_error_that_names_the_missing) {
    EXPECT_THAT(problem_of({{"CATENA_RENDEZVOUS", "tcp://a:1"}}),
                HasSubstr("CATENA_RANK and CATENA_SIZE are not"));
    EXPECT_THAT(problem_of({{"CATENA_RANK", "0"}}), HasSubstr("CATENA_SIZE is not"));
    unsetenv("CATENA_RANK");
    EXPECT_THAT(problem_of({{"CATENA_SIZE", "2"}}), HasSubstr("CATENA_RANK is not"));
    unsetenv("CATENA_RENDEZVOUS");
    EXPECT_THAT(problem_of({{"CATENA_RANK", "0"}}), HasSubstr("CATENA_RENDEZVOUS is not"));
}

TEST_F(Started, half_of_pytorchs_variables_is_an_error_where_they_are_meant) {
    EXPECT_THAT(problem_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}}), HasSubstr("MASTER_ADDR is not"));
    EXPECT_THAT(problem_of({{"MASTER_ADDR", "a"}}), HasSubstr("MASTER_PORT is not set"));
    unsetenv("RANK");
    EXPECT_THAT(problem_of({{"MASTER_PORT", "1"}}), HasSubstr("RANK is not"));
    unsetenv("MASTER_ADDR");
    EXPECT_EQ(problem_of({{"RANK", "7"}, {"WORLD_SIZE", ""}}), "no error") << "a common word";
}

TEST_F(Started, numbers_that_cannot_be_are_errors) {
    EXPECT_THAT(problem_of(with(open_mpi, {{"OMPI_COMM_WORLD_RANK", "4"}})),
                HasSubstr("ranks count from 0 to 3"));
    EXPECT_THAT(problem_of({{"OMPI_COMM_WORLD_RANK", "one"}}),
                HasSubstr("OMPI_COMM_WORLD_RANK is 'one'"));
    EXPECT_THAT(problem_of({{"CATENA_LAUNCHER", "mpi"}}), HasSubstr("CATENA_LAUNCHER is 'mpi'"));
    EXPECT_THAT(problem_of({{"CATENA_LAUNCHER", "srun"}}), HasSubstr("SLURM_STEP_ID is not set"));
}

TEST_F(Started, tcp_without_a_place_says_what_tells_one) {
    by(open_mpi);
    try {
        create_communicator("tcp");
        ADD_FAILURE() << "no error";
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(), HasSubstr("set CATENA_RENDEZVOUS to tcp://HOST:PORT"));
        EXPECT_THAT(error.what(), HasSubstr("OMPI_COMM_WORLD_RANK=1"));
    }
}

TEST(FirstHost, of_a_list_as_slurm_writes_it) {
    EXPECT_EQ(first_host("vm"), "vm");
    EXPECT_EQ(first_host("b,a"), "b");
    EXPECT_EQ(first_host("a[07-12,20],b3"), "a07");
    EXPECT_EQ(first_host("a[5],b3"), "a5");
    EXPECT_EQ(first_host("rack[1-2]node[003,007]x"), "rack1node003x");
    for (const char* wrong : {"", ",", "a[", "a[]", "[-3]"})
        EXPECT_THROW(first_host(wrong), ValueError) << wrong;
}

}  // namespace
}  // namespace catena
