// Snapshots of a training: their names, their order, and when they are written.
#include <chrono>
#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/serializer/npz.h"
#include "frontend/trainer/extensions/snapshot.h"
#include "frontend/trainer/standard_updater.h"
#include "frontend/trainer/trainer.h"
#include "runtime/ops/noise/random.h"
#include "tests/trainer/fixtures.h"
#include "tests/trainer/small_training.h"

namespace catena {
namespace {

using namespace extensions;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::SmallTraining;

class SnapshotTest : public testing::FolderTest {};

TEST_F(SnapshotTest, snapshots_of_one_instant_are_ordered_by_number) {
    SmallTraining f;
    StandardUpdater updater(f.it, f.adam, f.model);
    Trainer trainer(updater, {12, "iteration"}, path());
    trainer.extend(snapshot({.n_retains = 3}), {.trigger = {1, "iteration"}});
    // Clocks of file systems tick every few milliseconds.
    const auto earlier = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    auto same_time = [&](Trainer&) {
        for (auto& entry : std::filesystem::directory_iterator(path()))
            if (entry.is_regular_file()) std::filesystem::last_write_time(entry, earlier);
    };
    trainer.extend(same_time, {.name = "same_time", .priority = -200});
    trainer.run();
    EXPECT_FALSE(std::filesystem::exists(path("snapshot_iter_9")));
    for (int k : {10, 11, 12})
        EXPECT_TRUE(std::filesystem::exists(path("snapshot_iter_" + std::to_string(k)))) << k;
}

TEST_F(SnapshotTest, snapshots_are_named_kept_and_loaded_again) {
    SmallTraining f;
    StandardUpdater updater(f.it, f.adam, f.model);
    Trainer trainer(updater, {5, "iteration"}, path());
    trainer.extend(snapshot({.n_retains = 2}), {.trigger = {1, "iteration"}});
    trainer.extend(snapshot_object(f.model, "model_{.updater.epoch}"));
    trainer.run();
    std::set<std::string> names;
    for (auto& entry : std::filesystem::directory_iterator(path()))
        names.insert(entry.path().filename().string());
    EXPECT_THAT(names, ElementsAre("model_1", "snapshot_iter_4", "snapshot_iter_5"));
    EXPECT_EQ(read_npz(path("model_1"))[0].first, "predictor/W");

    write("snapshot_iter_6.AbCdEf", "what a killed process left");
    SmallTraining g;
    StandardUpdater resumed(g.it, g.adam, g.model);
    Trainer again(resumed, {7, "iteration"}, path());
    again.extend(snapshot({.autoload = true}), {.trigger = {1, "iteration"}});
    EXPECT_EQ(resumed.iteration(), 0);
    again.run();
    EXPECT_EQ(resumed.iteration(), 7);
    EXPECT_EQ(g.adam.t(), 7);
    EXPECT_THAT(message_of<ValueError>([] { snapshot({.filename = "a/b"}); }),
                HasSubstr("without a folder"));
}

TEST_F(SnapshotTest, a_snapshot_in_the_background_is_that_of_its_iteration) {
    for (bool in_background : {false, true}) {
        set_seed(3);
        SmallTraining f;
        StandardUpdater updater(f.it, f.adam, f.model);
        Trainer trainer(updater, {4, "iteration"}, path());
        trainer.extend(
            snapshot_object(f.model,
                            in_background ? "b{.updater.iteration}" : "a{.updater.iteration}",
                            {.in_background = in_background}),
            {.trigger = {1, "iteration"}});
        trainer.run();
    }
    for (int i = 1; i <= 4; ++i)
        EXPECT_EQ(content(fmt::format("a{}", i)), content(fmt::format("b{}", i))) << i;
    EXPECT_NE(content("b1"), content("b2"));
}

TEST_F(SnapshotTest, an_error_in_the_background_ends_the_training) {
    SmallTraining f;
    StandardUpdater updater(f.it, f.adam, f.model);
    Trainer trainer(updater, {4, "iteration"}, path("out"));
    trainer.extend([&](Trainer&) { std::filesystem::remove_all(path("out")); }, {.name = "remove"});
    trainer.extend(snapshot({.in_background = true}), {.trigger = {1, "iteration"}});
    EXPECT_THROW(trainer.run(false), FileError);
}

TEST_F(SnapshotTest, a_snapshot_is_taken_when_an_error_ends_the_training) {
    SmallTraining f;
    StandardUpdater updater(f.it, f.adam, f.model);
    Trainer trainer(updater, {5, "iteration"}, path());
    trainer.extend(snapshot({.condition = [] { return false; }, .snapshot_on_error = true}),
                   {.trigger = {1, "iteration"}});
    trainer.extend(
        [](Trainer& t) {
            if (t.updater().iteration() == 3) fail<ValueError>("enough");
        },
        {.name = "stop"});
    EXPECT_THROW(trainer.run(false), ValueError);
    EXPECT_TRUE(std::filesystem::exists(path("snapshot_iter_3")));
    EXPECT_FALSE(std::filesystem::exists(path("snapshot_iter_2")));
}

}  // namespace
}  // namespace catena
