// Ends of a training that were not planned: signals, limits, what killed processes left.
#include <cmath>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <fcntl.h>

#include "frontend/serializer/npz.h"
#include "frontend/trainer/extensions/snapshot/snapshot.h"
#include "frontend/trainer/extensions/stop_on_signal.h"
#include "frontend/trainer/trainer.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class Stop : public testing::FolderTest {
protected:
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(path("result")))
            names.push_back(entry.path().filename());
        std::sort(names.begin(), names.end());
        return names;
    }
    /// What a process that wrote NAME left behind, an hour ago.
    std::string stray(const std::string& name) const {
        fs::create_directories(path("result"));
        write("result/" + name, "half");
        fs::last_write_time(path("result/" + name),
                            fs::file_time_type::clock::now() - std::chrono::hours(1));
        return path("result/" + name);
    }
};

TEST_F(Stop, at_a_signal_the_iteration_is_finished_and_a_snapshot_is_there) {
    for (const int signal : {SIGINT, SIGTERM}) {
        fs::remove_all(path("result"));
        testing::MockUpdater updater;
        updater.on_update = [&](int64_t iteration) {
            if (iteration == 3) raise(signal);
        };
        Trainer trainer(updater, {100, "iteration"}, path("result"));
        int called = 0;
        trainer.extend([&](Trainer&) { ++called; }, {.name = "count", .trigger = {1, "iteration"}});
        trainer.extend(extensions::snapshot());
        trainer.extend(extensions::StopOnSignal());
        trainer.run();
        EXPECT_EQ(updater.iteration(), 3);
        EXPECT_EQ(called, 3);
        EXPECT_TRUE(updater.finalized);
        EXPECT_THAT(files(), ElementsAre("snapshot_iter_3"));

        testing::MockUpdater resumed;
        Trainer again(resumed, {5, "iteration"}, path("result"));
        again.extend(extensions::snapshot({.autoload = true}));
        again.extend(extensions::StopOnSignal());
        again.run();
        EXPECT_EQ(resumed.iteration(), 5);
    }
}

TEST_F(Stop, handlers_are_put_back_and_a_second_signal_kills) {
    const auto before = std::signal(SIGINT, SIG_DFL);
    testing::MockUpdater updater;
    struct sigaction during = {}, after = {};
    updater.on_update = [&](int64_t) {
        raise(SIGINT);
        sigaction(SIGINT, nullptr, &during);
    };
    Trainer trainer(updater, {100, "iteration"}, path("result"));
    trainer.extend(extensions::StopOnSignal());
    trainer.run();
    sigaction(SIGINT, nullptr, &after);
    EXPECT_EQ(during.sa_handler, SIG_DFL);  // The system's, which ends the process.
    EXPECT_EQ(after.sa_handler, SIG_DFL);
    EXPECT_EQ(updater.iteration(), 1);
    std::signal(SIGINT, before);
}

TEST_F(Stop, snapshots_of_objects_are_not_taken_out_of_turn) {
    testing::MockUpdater updater;
    Trainer trainer(updater, {100, "iteration"}, path("result"));
    trainer.extend([](Trainer& t) { t.stop(); }, {.name = "stop", .trigger = {1, "iteration"}});
    trainer.extend(extensions::snapshot_object(updater, "best"));
    trainer.run();
    EXPECT_THAT(files(), ElementsAre());
}

TEST_F(Stop, what_dead_processes_left_is_removed_and_nothing_else) {
    stray("snapshot_iter_7.partial-abcDEF");
    stray("snapshot_iter_7.backup");
    stray("other.partial-abcDEF");
    const int held = open(stray("snapshot_iter_8.partial-abcDEF").c_str(), O_RDONLY);
    ASSERT_EQ(flock(held, LOCK_EX), 0);
    testing::MockUpdater updater;
    Trainer trainer(updater, {1, "iteration"}, path("result"));
    trainer.extend(extensions::snapshot());
    trainer.run();
    EXPECT_THAT(files(), ElementsAre("other.partial-abcDEF", "snapshot_iter_7.backup",
                                     "snapshot_iter_8.partial-abcDEF"));
    close(held);
}

TEST_F(Stop, a_full_quota_is_an_error) {
    std::vector<float> noise;  // Would not compress.
    for (int i = 0; i < 10'000; ++i) noise.push_back(std::sin(float(i * i)));
    const Array x = Array::from(noise, {10'000});
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit = {1000, 1000};
        setrlimit(RLIMIT_FSIZE, &limit);
        try {
            save_npz(path("big.npz"), NamedArrays{{"x", x}}, {});
        } catch (const FileError& error) {
            _exit(std::string(error.what()).find("File too large") != std::string::npos ? 7 : 8);
        }
        _exit(9);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_TRUE(fs::is_empty(path()));
}

}  // namespace
}  // namespace catena
