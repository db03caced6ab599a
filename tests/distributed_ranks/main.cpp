// What mpirun starts for tests/distributed: the same checks as over threads, one rank a process.
//   mpi_ranks                                 the checks
//   mpi_ranks train SNAPSHOT FIRST [DIES_AT]  trains, prints the parameters' sum of bits on rank 0
//   mpi_ranks resume FOLDER ITERATIONS [PAUSE [compiled|divided|compiled,divided]]
//                                             the same by a Trainer, from the snapshot in the
//                                             folder
//   mpi_ranks create NAME                     makes the communicator of that name
//   mpi_ranks late                            rank 1 does not come
//   mpi_ranks again FILE                      rank 1 comes after rank 0 has given up, which tries
//                                             again and makes FILE
//   mpi_ranks throw                           rank 1 ends with an error
//   mpi_ranks connections                     trains, prints how many sockets a rank has at most
//   mpi_ranks uncaught                        rank 1 throws an uncaught exception
// With CATENA_RENDEZVOUS its processes meet there, without mpirun.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

#include "runtime/comm/except_hook.h"
#include "tests/distributed/collectives.h"
#include "tests/distributed/resuming.h"
#include "tests/distributed/training.h"
#include "tests/distributed_ranks/world.h"

namespace catena {

std::shared_ptr<Communicator> world;

namespace {

TEST(MpiRanks, move_what_they_should) { check_collectives(*world); }
TEST(MpiRanks, split_into_groups) { check_split(*world); }
TEST(MpiRanks, overlap_transfers_in_the_background) { check_background(*world); }
TEST(MpiRanks, have_differentiable_functions) { check_functions(*world); }
TEST(MpiRanks, train_as_one_rank_does) { check_training(world); }
/// NCCL adds in an order of its own.
TEST(MpiRanks, divide_the_update) { check_sharding(world, world->name() != "nccl"); }
TEST(MpiRanks, double_buffering_uses_the_gradients_of_before) { check_double_buffering(world); }
TEST(MpiRanks, the_first_update_makes_parameters_equal) { check_first_update(world); }
TEST(MpiRanks, serve_trainers_and_spread_models) {
    check_trainer_tools(world, world->bcast_bytes(::testing::TempDir() + "mpi_trainer_" +
                                                  std::to_string(getpid())));
}
TEST(MpiRanks, serve_datasets_evaluators_snapshots_and_links) {
    check_parallel_tools(
        world, world->bcast_bytes(::testing::TempDir() + "mpi_" + std::to_string(getpid())));
}

void train_and_print(int argc, char** argv) {
    TrainingRun run{.communicator = world, .first_step = std::atoi(argv[3]), .snapshot = argv[2]};
    if (argc > 4) run.dies_at = std::atoi(argv[4]);
    uint64_t sum = 0;
    for (float v : train(run)) {
        uint32_t bits;
        std::memcpy(&bits, &v, sizeof bits);
        sum = sum * 31 + bits;
    }
    if (world->rank() == 0)
        std::printf("parameters %016llx\n", static_cast<unsigned long long>(sum));
}

/// A sum that rank 1 joins when rank 0 has given it up (then there is this file), and uses other
/// memory of the same size.
void sum_again(const std::string& given_up) {
    const Array x = Array::full({Dtype::float32, {1 << 20}}, 1);
    world->barrier();
    if (world->rank() == 1) {
        while (!std::filesystem::exists(given_up)) std::this_thread::yield();
        setenv("CATENA_COMM_TIMEOUT", "0.3", 1);
        EXPECT_THROW(world->allreduce(x), CommunicationError);
        std::this_thread::sleep_for(
            std::chrono::seconds(60));  // Rank 0 ends before, and with it this one.
        return;
    }
    setenv("CATENA_COMM_TIMEOUT", "0.3", 1);
    for (int attempt = 0; attempt < 2; ++attempt) try {
            world->allreduce(x);
        } catch (const CommunicationError& error) {
            std::printf("attempt %d: %s\n", attempt, error.what());
        }
    std::ofstream(given_up) << "yes";
    std::vector<Array> others;
    for (int i = 0; i < 10; ++i) others.push_back(Array::full(x.type(), i));
    std::this_thread::sleep_for(std::chrono::milliseconds(900));
    for (int i = 0; i < 10; ++i)
        if (others[size_t(i)].to_vector<float>() != std::vector<float>(size_t(x.size()), float(i)))
            std::printf("array %d was overwritten\n", i);
    std::fflush(stdout);
    fail<CommunicationError>("rank 0 has seen enough");
}

/// Sockets of this process that are connected with another one's.
int connections() {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        sockaddr_storage address{};
        socklen_t length = sizeof address;
        const int file = std::atoi(entry.path().filename().c_str());
        if (getpeername(file, reinterpret_cast<sockaddr*>(&address), &length) == 0)
            count += address.ss_family == AF_INET || address.ss_family == AF_INET6;
    }
    return count;
}

/// Of gradients that are sent in several buckets.
void train_and_count_connections() {
    Linear layer(100, 400), last(400, 3);
    Chain net;
    net.add_children({{"layer", layer}, {"last", last}});
    Adam optimizer;
    optimizer.setup(net);
    create_multi_node_optimizer(optimizer, world, {.bucket_bytes = 100'000});
    const Variable x(Array::full({Dtype::float32, {2, 100}}, world->rank()), false);
    for (int i = 0; i < 3; ++i) {
        Variable loss = sum(last(relu(layer(x))));
        net.cleargrads();
        optimizer.backward(loss);
        optimizer.update();
    }
    int most = connections();
    for (const Array& of_rank : world->allgather(Array::scalar<int32_t>(most)))
        most = std::max(most, of_rank.item<int>());
    if (world->rank() == 0) std::printf("at most %d connections\n", most);
    std::fflush(stdout);
    world->barrier();
}

int run(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    std::string mode = argc > 1 ? argv[1] : "";
    world = make_world(mode == "create" ? argv[2] : usual_world());
    if (mode == "create") {
        std::printf("%s, %d ranks\n", world->name().c_str(), world->size());
        std::fflush(stdout);
        world->barrier();
    } else if (mode == "train") {
        train_and_print(argc, argv);
    } else if (mode == "resume") {
        ResumedTraining training{.folder = argv[2], .iterations = std::atoi(argv[3])};
        if (argc > 4) training.pause = std::atoi(argv[4]);
        if (argc > 5) {
            training.compiled = std::strstr(argv[5], "compiled") != nullptr;
            training.divided = std::strstr(argv[5], "divided") != nullptr;
        }
        std::filesystem::create_directories(training.folder);
        std::ofstream(training.folder + "/pid." + std::to_string(world->rank())) << getpid();
        const uint64_t bits = train_and_resume(world, training);
        if (world->rank() == 0)
            std::printf("parameters %016llx\n", static_cast<unsigned long long>(bits));
    } else if (mode == "late") {
        world->barrier();  // However long it took them to start.
        setenv("CATENA_COMM_TIMEOUT", "2", 1);
        if (world->rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(300));
        world->barrier();
    } else if (mode == "connections") {
        train_and_count_connections();
    } else if (mode == "again") {
        sum_again(argv[2]);
    } else if (mode == "uncaught") {
        add_global_except_hook(world);
        if (world->rank() == 1) std::thread([] { fail<ValueError>("nobody catches this"); }).join();
        world->barrier();
    } else if (mode == "throw") {
        if (world->rank() == 1) fail<ValueError>("rank 1 has had enough");
        world->barrier();
    } else if (!run_mode(mode)) {
        return RUN_ALL_TESTS();
    }
    return 0;
}

}  // namespace
}  // namespace catena

int main(int argc, char** argv) {
    try {
        return catena::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mpi_ranks: %s\n", error.what());
        return 1;
    }
}
