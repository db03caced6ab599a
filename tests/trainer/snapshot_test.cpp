// Snapshots of a training: their names, their order, and when they are written.
#include <chrono>
#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/serializer/npz.h"
#include "frontend/trainer/extensions/snapshot/snapshot.h"
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

/// Trains with a snapshot after each iteration; returns the iterations that it did itself.
int64_t train(const std::string& folder, int last, SnapshotOptions options) {
    testing::MockUpdater updater(4);
    int64_t count = 0;
    updater.on_update = [&](int64_t) { ++count; };
    Trainer trainer(updater, {last, "iteration"}, folder);
    trainer.extend(snapshot(std::move(options)), {.trigger = {1, "iteration"}});
    trainer.run();
    return count;
}

std::set<std::string> names_in(const std::string& folder) {
    std::set<std::string> names;
    for (auto& entry : std::filesystem::directory_iterator(folder))
        names.insert(entry.path().filename().string());
    return names;
}

void set_hours(const std::string& file, int hours) {
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() + std::chrono::hours(hours));
}

TEST_F(SnapshotTest, the_latest_is_told_by_its_number_whatever_the_clock_says) {
    train(path(), 3, {});
    set_hours(path("snapshot_iter_1"), 1);  // A clock that was set back since.
    set_hours(path("snapshot_iter_3"), -1);
    EXPECT_EQ(train(path(), 5, {.n_retains = 1, .autoload = true}), 2);
    EXPECT_THAT(names_in(path()), ElementsAre("snapshot_iter_5"));
    EXPECT_EQ(train(path(), 12, {.n_retains = 3, .autoload = true}), 7);
    EXPECT_THAT(names_in(path()),
                ElementsAre("snapshot_iter_10", "snapshot_iter_11", "snapshot_iter_12"));
}

TEST_F(SnapshotTest, numbers_of_epochs_tell_it_too) {
    const SnapshotOptions options{.filename = "{.updater.epoch_detail} of {.updater.epoch}",
                                  .autoload = true};
    train(path(), 9, options);
    EXPECT_TRUE(names_in(path()).contains("0.25 of 0"));
    write("2.25", "no such name");
    write("a of 2", "no such name");
    set_hours(path("2.25 of 2"), -1);
    EXPECT_EQ(train(path(), 45, options), 36);
    set_hours(path("9.75 of 9"), 1);
    EXPECT_EQ(train(path(), 46, options), 1);
}

TEST_F(SnapshotTest, files_of_an_earlier_training_go_before_those_of_this_one) {
    train(path(), 9, {});
    train(path(), 2, {.n_retains = 1});  // Begins anew in the same folder.
    EXPECT_THAT(names_in(path()), ElementsAre("snapshot_iter_2"));
    train(path(), 9, {});
    train(path(), 2, {.n_retains = 3});
    EXPECT_THAT(names_in(path()),
                ElementsAre("snapshot_iter_1", "snapshot_iter_2", "snapshot_iter_9"));
}

TEST_F(SnapshotTest, names_whose_numbers_touch_are_refused_where_the_latest_counts) {
    const std::string name = "s{.updater.epoch}{.updater.iteration}";
    EXPECT_NO_THROW(snapshot({.filename = name}));
    EXPECT_THAT(message_of<ValueError>([&] { snapshot({.filename = name, .autoload = true}); }),
                HasSubstr("two numbers would touch"));
    EXPECT_THROW(snapshot({.filename = "s{.updater.epoch}0{.updater.iteration}", .n_retains = 1}),
                 ValueError);
    EXPECT_THAT(message_of<ValueError>([&] { snapshot({.filename = "s{epoch}"}); }),
                HasSubstr("{.updater.epoch_detail}"));
}

TEST_F(SnapshotTest, a_damaged_one_leaves_the_one_before_with_a_notice) {
    train(path(), 4, {});
    const std::string whole = content("snapshot_iter_4");
    write("snapshot_iter_4", whole.substr(0, whole.size() / 2));
    std::string flipped = content("snapshot_iter_3");
    flipped[flipped.size() / 3] = char(flipped[flipped.size() / 3] ^ 4);
    write("snapshot_iter_3", flipped);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(train(path(), 6, {.autoload = true}), 4);
    EXPECT_THAT(
        ::testing::internal::GetCapturedStderr(),
        ::testing::AllOf(HasSubstr("snapshot_iter_4 is damaged: "),
                         HasSubstr("snapshot_iter_3 is damaged: "),
                         HasSubstr("the training goes on from "), HasSubstr("snapshot_iter_2")));
}

TEST_F(SnapshotTest, where_all_are_damaged_or_one_is_of_another_training_it_is_an_error) {
    write("snapshot_iter_1", "PK");
    write("snapshot_iter_2", "");
    EXPECT_THAT(message_of<FileError>([&] { train(path(), 3, {.autoload = true}); }),
                HasSubstr("snapshot_iter_2"));
    train(path(), 1, {});
    save_npz(path("snapshot_iter_2"), NamedArrays{{"x", Array::scalar(1.0f)}});
    EXPECT_THAT(message_of<FileError>([&] { train(path(), 3, {.autoload = true}); }),
                HasSubstr("snapshot_iter_2"));
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
