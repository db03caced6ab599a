// Several ranks whose newest file is damaged on one of them go on from the one before, all alike.
#include <atomic>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "frontend/parallel/multi_node_checkpointer.h"
#include "frontend/parallel/multi_node_trainer_snapshot.h"
#include "frontend/testing/mock_updater.h"
#include "frontend/trainer/trainer.h"
#include "runtime/comm/local.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

using ::testing::ElementsAre;

class DamagedFiles : public ::testing::Test {
protected:
    DamagedFiles() { std::filesystem::remove_all(out_); }
    ~DamagedFiles() override { std::filesystem::remove_all(out_); }

    void damage(const std::string& name) const {
        const std::string path = out_ + "/" + name;
        std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    }

    /// Three checkpoints of three ranks.
    void save_checkpoints() const {
        run_local(3, [&](const std::shared_ptr<Communicator>& comm) {
            MockUpdater updater;
            Trainer trainer(updater, {3, "iteration"}, out_);
            auto checkpointer = create_multi_node_checkpointer("run", comm, {.path = out_});
            for (int64_t iteration = 1; iteration <= 3; ++iteration) {
                updater.update();
                checkpointer.save([&](const Serializer& s) { trainer.serialize(s); }, iteration);
            }
        });
    }
    /// The iteration that each rank has loaded.
    std::vector<std::optional<int64_t>> loaded_checkpoints() const {
        std::vector<std::optional<int64_t>> loaded(3);
        run_local(3, [&](const std::shared_ptr<Communicator>& comm) {
            MockUpdater updater;
            Trainer trainer(updater, {9, "iteration"}, out_);
            loaded[size_t(comm->rank())] =
                create_multi_node_checkpointer("run", comm, {.path = out_}).maybe_load(trainer);
            EXPECT_EQ(updater.iteration(), loaded[size_t(comm->rank())]);
        });
        return loaded;
    }

    /// The iterations at which trainings of four ranks in two sets began, up to `until`.
    std::vector<int64_t> began_at(int64_t until) const {
        std::vector<int64_t> begun(4, -1);
        run_local(4, [&](const std::shared_ptr<Communicator>& comm) {
            MockUpdater updater;
            Trainer trainer(updater, {double(until), "iteration"}, out_);
            const extensions::SnapshotOptions options{.filename = "at_{.updater.iteration}",
                                                      .autoload = true};
            trainer.extend(multi_node_snapshot(comm, options, {{0, 1}, {2, 3}}),
                           {.trigger = {1, "iteration"}});
            trainer.extend(
                [&](Trainer& t) {
                    int64_t& begin = begun[size_t(comm->rank())];
                    if (begin < 0) begin = t.updater().iteration() - 1;
                },
                {.name = "began", .trigger = {1, "iteration"}});
            trainer.run();
            comm->barrier();
        });
        return begun;
    }

    const std::string out_ = ::testing::TempDir() + "damaged_" + std::to_string(getpid());
};

TEST_F(DamagedFiles, all_ranks_take_the_checkpoint_before_the_one_that_a_rank_cannot_read) {
    save_checkpoints();
    EXPECT_THAT(loaded_checkpoints(), ElementsAre(3, 3, 3));
    damage("run.1.3");
    EXPECT_THAT(loaded_checkpoints(), ElementsAre(2, 2, 2));
    damage("run.2.2");
    EXPECT_THAT(loaded_checkpoints(), ElementsAre(1, 1, 1));
}

TEST_F(DamagedFiles, checkpoints_of_which_none_can_be_read_are_an_error_on_all_ranks) {
    save_checkpoints();
    for (const char* name : {"run.0.1", "run.1.2", "run.2.3"}) damage(name);
    std::atomic<int> refused = 0;
    run_local(3, [&](const std::shared_ptr<Communicator>& comm) {
        MockUpdater updater;
        Trainer trainer(updater, {9, "iteration"}, out_);
        try {
            create_multi_node_checkpointer("run", comm, {.path = out_}).maybe_load(trainer);
        } catch (const FileError& error) {
            EXPECT_THAT(error.what(), ::testing::HasSubstr("the file of rank 2 is damaged"));
            ++refused;
        }
    });
    EXPECT_EQ(refused, 3);
}

TEST_F(DamagedFiles, sets_of_ranks_go_on_from_the_latest_snapshot_that_all_sets_can_read) {
    EXPECT_THAT(began_at(3), ElementsAre(0, 0, 0, 0));
    damage("at_3.2");
    EXPECT_THAT(began_at(5), ElementsAre(2, 2, 2, 2));
    std::filesystem::remove(out_ + "/at_5.0");
    EXPECT_THAT(began_at(6), ElementsAre(4, 4, 4, 4));
}

}  // namespace
}  // namespace catena
