// Ranks are killed by SIGKILL at any time, the job is started again, and its end has the bits of a
// training that nothing has interrupted. CATENA_TEST_KILLS=150 makes the long form of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include <unistd.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/support/command.h"

namespace catena {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr int rank_count = 2;

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
    Killer(std::string folder, int wanted)
        : folder_(std::move(folder)), wanted_(wanted), thread_([this] { run(); }) {}
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
            const int rank = int(random() % rank_count);
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
            for (int other = 0; other < rank_count; ++other)
                while (!is_over_ && pid_of(other) != 0)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    std::string folder_;
    int wanted_;
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
        Killer killer(folder, kills_wanted());
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

TEST_F(Restarts, with_another_number_of_ranks_are_refused_and_say_what_can_be_done) {
    const std::string folder = fresh_folder("more");
    const auto first =
        testing::run(within_time(testing::program("catena") + " launch -n 2 " +
                                 testing::program("mpi_ranks") + " resume " + folder + " 4"));
    ASSERT_EQ(first.status, 0) << first.output;
    for (const char* ranks : {"3", "1"}) {
        const auto other =
            testing::run(within_time(testing::program("catena") + " launch -n " + ranks + " " +
                                     testing::program("mpi_ranks") + " resume " + folder + " 8"));
        EXPECT_NE(other.status, 0);
        EXPECT_THAT(other.output, HasSubstr("the snapshot is of a training by 2 ranks"));
        EXPECT_THAT(other.output, HasSubstr("Start 2 ranks, or load only model and optimizer"));
    }
}

}  // namespace
}  // namespace catena
