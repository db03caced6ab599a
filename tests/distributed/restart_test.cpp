// Ranks are killed by SIGKILL at any time, the job is started again, and its end has the bits of a
// training that nothing has interrupted. CATENA_TEST_KILLS=150 makes the long form of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <thread>

#include <unistd.h>

#include <fmt/core.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/system/counted.h"
#include "tests/distributed/resuming.h"
#include "tests/distributed/tcp_ranks.h"
#include "tests/support/command.h"

namespace catena {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

int kills_wanted() {
    const char* text = std::getenv("CATENA_TEST_KILLS");
    return text ? std::atoi(text) : 2;
}

std::string parameters_in_output(const std::string& output) {
    const size_t at = output.find("parameters ");
    return at == output.npos ? "none: " + output : output.substr(at, 27);
}

/// Kills one rank after another, each some time after the ranks have begun again.
class Killer {
public:
    Killer(std::string folder, int ranks, int wanted)
        : folder_(std::move(folder)), ranks_(ranks), wanted_(wanted), thread_([this] { run(); }) {}
    ~Killer() {
        is_over_ = true;
        thread_.join();
    }
    Killer(const Killer&) = delete;
    int count() const { return count_; }

private:
    /// 0: there is no such rank now. Numbers of processes are used again, by others.
    pid_t pid_of(int rank) const {
        pid_t pid = 0;
        std::ifstream(folder_ + "/pid." + std::to_string(rank)) >> pid;
        if (pid <= 0) return 0;
        std::ostringstream words;
        words << std::ifstream("/proc/" + std::to_string(pid) + "/cmdline").rdbuf();
        return words.str().find(folder_) == std::string::npos ? 0 : pid;
    }
    void run() {
        std::mt19937 random(17);
        pid_t latest = 0;
        while (!is_over_ && count_ < wanted_) {
            const int rank = int(random() % unsigned(ranks_));
            const int milliseconds = int(random() % 250);
            pid_t pid = 0;
            while (!is_over_ && ((pid = pid_of(rank)) == 0 || pid == latest))
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
            if (is_over_ || pid_of(rank) != pid) continue;
            kill(pid, SIGKILL);
            ++count_;
            latest = pid;
            // The next one belongs to the next start.
            for (int other = 0; other < ranks_; ++other)
                while (!is_over_ && pid_of(other) != 0)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    std::string folder_;
    int ranks_, wanted_;
    std::atomic<bool> is_over_ = false;
    std::atomic<int> count_ = 0;
    std::thread thread_;
};

class Restarts : public ::testing::Test {
protected:
    static std::string fresh_folder(const std::string& name) {
        const std::string folder = ::testing::TempDir() + "restarts_" + name;
        fs::remove_all(folder);
        fs::create_directories(folder);
        return folder;
    }
    static int iterations() { return 20 + 10 * kills_wanted(); }
    static std::string training(const std::string& folder, bool compiled) {
        return testing::program("mpi_ranks") + " resume " + folder + " " +
               std::to_string(iterations()) + " 20" + (compiled ? " compiled" : "");
    }
    static std::string within_time(const std::string& command) {
        return "CATENA_NUM_THREADS=1 CATENA_COMM_TIMEOUT=60 timeout " +
               std::to_string(120 + 5 * kills_wanted()) + " " + command;
    }
    static std::string launched(int restarts, const std::string& command) {
        return within_time(testing::program("catena") + " launch -n 2 --restarts " +
                           std::to_string(restarts) + " " + command);
    }
    static std::string uninterrupted(bool compiled) {
        const std::string folder = fresh_folder("through");
        const auto result = testing::run(launched(0, training(folder, compiled)));
        EXPECT_EQ(result.status, 0) << result.output;
        return parameters_in_output(result.output);
    }
    /// The end of a training whose ranks were killed as often as wanted while `start` started them.
    template <class F>
    static std::string killed(const std::string& folder, F start) {
        Killer killer(folder, 2, kills_wanted());
        const testing::CommandResult result = testing::run(start());
        EXPECT_EQ(result.status, 0) << result.output;
        EXPECT_EQ(killer.count(), kills_wanted()) << "the training was over before";
        return parameters_in_output(result.output);
    }
};

TEST_F(Restarts, by_catena_launch_end_with_the_bits_of_an_uninterrupted_training) {
    for (const bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        SCOPED_TRACE(compiled ? "compiled" : "eager");
        const std::string folder = fresh_folder("launched");
        EXPECT_EQ(killed(folder,
                         [&] { return launched(kills_wanted() + 1, training(folder, compiled)); }),
                  uninterrupted(compiled));
    }
}

TEST_F(Restarts, by_mpirun_in_a_loop_end_with_the_bits_of_an_uninterrupted_training) {
    if (!CATENA_HAS_MPI) GTEST_SKIP() << "built without MPI";
    if (testing::run("mpirun --version").status != 0) GTEST_SKIP() << "there is no mpirun";
    const std::string folder = fresh_folder("mpirun");
    const std::string mpirun = "mpirun --allow-run-as-root --oversubscribe --bind-to none -np 2 " +
                               training(folder, false);
    EXPECT_EQ(killed(folder,
                     [&] {
                         return within_time("sh -c 'for try in $(seq " +
                                            std::to_string(kills_wanted() + 2) + "); do " + mpirun +
                                            " && exit 0; done; exit 1'");
                     }),
              uninterrupted(false));
}

/// The rows of every iteration, of the latest start that has it, iteration 1 first.
std::vector<std::vector<int64_t>> rows_of_iterations(const std::string& folder, int ranks) {
    std::map<int64_t, std::map<int64_t, std::vector<int64_t>>> found;  // Iteration, start.
    for (int rank = 0; rank < ranks; ++rank) {
        std::ifstream file(folder + "/rows." + std::to_string(rank));
        for (std::string line; std::getline(file, line);) {
            std::istringstream words(line);
            int64_t start = 0, iteration = 0;
            words >> start >> iteration;
            for (int64_t row; words >> row;) found[iteration][start].push_back(row);
        }
    }
    std::vector<std::vector<int64_t>> rows;
    for (auto& [iteration, starts] : found) rows.push_back(starts.rbegin()->second);
    return rows;
}

/// All rows of each epoch are there once.
void expect_whole_epochs(const std::vector<std::vector<int64_t>>& iterations) {
    std::vector<int64_t> rows, all(size_t{resumed_rows});
    std::iota(all.begin(), all.end(), 0);
    for (const std::vector<int64_t>& taken : iterations) {
        rows.insert(rows.end(), taken.begin(), taken.end());
        if (rows.size() < all.size()) continue;
        std::ranges::sort(rows);
        EXPECT_EQ(rows, all);
        rows.clear();
    }
    EXPECT_TRUE(rows.empty());
}

TEST_F(Restarts, with_fewer_and_fewer_ranks_see_every_example_of_an_epoch_once) {
    for (const bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        SCOPED_TRACE(compiled ? "compiled" : "eager");
        const std::string folder = fresh_folder("fewer");
        constexpr int iterations = 60, kills = 2;
        testing::CommandResult result;
        {
            Killer killer(folder, 2, kills);  // Ranks 0 and 1, which are there to the end.
            result = testing::run(within_time(
                testing::program("catena") + " launch -n 4 --min-ranks 2 " +
                testing::program("mpi_ranks") + " resume " + folder + " " +
                std::to_string(iterations) + " 20 " + (compiled ? "compiled,divided" : "divided")));
            EXPECT_EQ(killer.count(), kills) << "the training was over before";
        }
        EXPECT_EQ(result.status, 0) << result.output;
        EXPECT_THAT(result.output, HasSubstr("all start again, without the place of rank"));
        const auto rows = rows_of_iterations(folder, 4);
        ASSERT_EQ(rows.size(), size_t(iterations));
        expect_whole_epochs(rows);
    }
}

TEST_F(Restarts, with_another_number_of_ranks_go_on_and_say_so) {
    const std::string folder = fresh_folder("more");
    const auto train = [&](int ranks, int until) {
        return testing::run(within_time(testing::program("catena") + " launch -n " +
                                        std::to_string(ranks) + " " +
                                        testing::program("mpi_ranks") + " resume " + folder + " " +
                                        std::to_string(until) + " 0 divided"));
    };
    const std::vector<int> numbers{4, 2, 3, 6, 1, 4};
    int until = 2;
    for (size_t i = 0; i < numbers.size(); ++i, until += 2) {
        const auto result = train(numbers[i], until);
        ASSERT_EQ(result.status, 0) << result.output;
        if (i > 0) {
            EXPECT_THAT(result.output,
                        HasSubstr("is of a training by " + counted(numbers[i - 1], "rank") +
                                  ", and goes on by " + counted(numbers[i], "rank")));
        }
    }
    const auto rows = rows_of_iterations(folder, 6);
    ASSERT_EQ(rows.size(), 12u);
    expect_whole_epochs(rows);
}

/// As torchrun --nnodes=2:3 starts what is left of the processes.
TEST_F(Restarts, by_torchrun_go_on_with_the_number_of_ranks_that_there_are) {
    const std::string folder = fresh_folder("torchrun");
    for (const int ranks : {3, 2}) {
        std::string commands;
        const int port = free_port();
        for (int rank = 0; rank < ranks; ++rank)
            commands += fmt::format(
                "TORCHELASTIC_RUN_ID=x WORLD_SIZE={} RANK={} LOCAL_RANK={} MASTER_ADDR=127.0.0.1 "
                "MASTER_PORT={} {} & ",
                ranks, rank, rank, port,
                within_time(testing::program("mpi_ranks") + " resume " + folder + " " +
                            std::to_string(12 - 2 * ranks) + " 0 divided"));
        const auto result = testing::run("{ " + commands + " wait; }");
        EXPECT_THAT(result.output, HasSubstr("parameters ")) << ranks;
        if (ranks == 2) {
            EXPECT_THAT(result.output, HasSubstr("by 3 ranks, and goes on by 2 ranks"));
        }
    }
    const auto rows = rows_of_iterations(folder, 3);
    ASSERT_EQ(rows.size(), 8u);
    expect_whole_epochs(rows);
}

}  // namespace
}  // namespace catena
