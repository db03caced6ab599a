// What a training that is resumed does with the iteration in which its snapshot was taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/sgd.h"
#include "frontend/serializer/npz.h"
#include "frontend/trainer/extensions/shift.h"
#include "frontend/trainer/extensions/snapshot/snapshot.h"
#include "frontend/trainer/standard_updater.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/triggers.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using testing::MockUpdater;

class ResumeOrder : public testing::FolderTest {
protected:
    /// Trains on numbers that are told for each epoch of two iterations; from a file, if it has a
    /// name.
    int64_t train(const std::string& from, AnyTrigger stop,
                  const std::function<void(Trainer&)>& extend) {
        MockUpdater updater(2);
        Trainer trainer(updater, std::move(stop), path());
        trainer.extend(
            [](Trainer& t) {
                constexpr double accuracies[] = {.5, .9, .7, .6, .8};
                if (t.updater().is_new_epoch())
                    t.observation().emplace("accuracy", accuracies[t.updater().epoch() - 1]);
            },
            {.name = "accuracy", .trigger = {1, "iteration"}, .priority = priority_writer});
        extend(trainer);
        // Not strict: a stop trigger of another kind is a setting that changes.
        if (!from.empty()) load_npz(path(from), trainer, {.strict = false});
        trainer.run();
        return updater.iteration();
    }
    int64_t epoch_in(const std::string& file) const {
        struct Seen {
            int64_t epoch = -1;
            void serialize(const Serializer& s) { s("iteration", epoch); }
        } seen;
        load_npz(path(file), seen);
        return seen.epoch / 2;
    }
};

TEST_F(ResumeOrder, the_best_model_stays_the_best) {
    const auto extend = [](Trainer& trainer) {
        trainer.extend(extensions::snapshot(), {.trigger = {1, "epoch"}});
        trainer.extend(extensions::snapshot_object(trainer.updater(), "best.npz"),
                       {.trigger = triggers::MaxValueTrigger("accuracy")});
    };
    train("", {5, "epoch"}, extend);
    EXPECT_EQ(epoch_in("best.npz"), 2);
    train("snapshot_iter_4", {5, "epoch"}, extend);
    EXPECT_EQ(epoch_in("best.npz"), 2);
}

TEST_F(ResumeOrder, extensions_after_the_snapshot_are_not_called_again_for_its_iteration) {
    std::vector<int64_t> called;
    const auto extend = [&](Trainer& trainer) {
        trainer.extend(extensions::snapshot(), {.trigger = {2, "iteration"}, .priority = 150});
        trainer.extend([&](Trainer& t) { called.push_back(t.updater().iteration()); },
                       {.name = "after", .trigger = {2, "iteration"}});
    };
    train("", {7, "iteration"}, extend);
    EXPECT_THAT(called, ElementsAre(2, 4, 6));
    called.clear();
    train("snapshot_iter_4", {7, "iteration"}, extend);
    EXPECT_THAT(called, ElementsAre(6));
}

TEST_F(ResumeOrder, a_trainer_that_an_extension_of_ones_own_saves_is_resumed_there) {
    std::vector<std::string> called;
    const auto note = [&](const char* name) {
        return [&called, name](Trainer& t) {
            called.push_back(fmt::format("{}{}", name, t.updater().iteration()));
        };
    };
    const auto extend = [&](Trainer& trainer) {
        trainer.extend(note("a"), {.name = "a", .trigger = {1, "iteration"}, .priority = 30});
        trainer.extend([&](Trainer& t) { save_npz(path("own.npz"), t); },
                       {.name = "save",
                        .trigger = triggers::ManualScheduleTrigger(2, "iteration"),
                        .priority = 20});
        trainer.extend(note("b"), {.name = "b", .trigger = {1, "iteration"}, .priority = 10});
    };
    train("", {3, "iteration"}, extend);
    called.clear();
    train("own.npz", {3, "iteration"}, extend);
    EXPECT_THAT(called, ElementsAre("b2", "a3", "b3"));
}

TEST_F(ResumeOrder, early_stopping_ends_where_it_did) {
    const auto stop = [] {
        return triggers::EarlyStoppingTrigger(
            {.monitor = "accuracy", .patience = 2, .max_trigger = {5, "epoch"}});
    };
    const auto extend = [](Trainer& trainer) {
        trainer.extend(extensions::snapshot(), {.trigger = {1, "epoch"}});
    };
    EXPECT_EQ(train("", stop(), extend), 8);
    for (const char* from : {"snapshot_iter_2", "snapshot_iter_4", "snapshot_iter_6"})
        EXPECT_EQ(train(from, stop(), extend), 8) << from;
    EXPECT_EQ(train("snapshot_iter_8", stop(), extend), 8);
}

TEST_F(ResumeOrder, a_stop_in_the_past_ends_at_once) {
    const auto extend = [](Trainer& trainer) {
        trainer.extend(extensions::snapshot(), {.trigger = {1, "iteration"}});
    };
    train("", {5, "iteration"}, extend);
    EXPECT_EQ(train("snapshot_iter_5", {3, "iteration"}, extend), 5);
    EXPECT_EQ(train("snapshot_iter_5", {5, "iteration"}, extend), 5);
    EXPECT_EQ(train("snapshot_iter_5", {2, "epoch"}, extend), 5);
    EXPECT_EQ(
        train("snapshot_iter_5", triggers::ManualScheduleTrigger({2, 6}, "iteration"), extend), 5);
    EXPECT_EQ(train("snapshot_iter_5", triggers::TimeTrigger(0), extend), 5);
    EXPECT_EQ(train("snapshot_iter_5",
                    triggers::EarlyStoppingTrigger(
                        {.monitor = "accuracy", .max_trigger = {4, "iteration"}}),
                    extend),
              5);
    EXPECT_EQ(train("snapshot_iter_5", {7, "iteration"}, extend), 7);
}

TEST_F(ResumeOrder, a_smaller_limit_than_that_of_the_file_ends_at_once) {
    int64_t last = 5;
    const auto extend = [&](Trainer& trainer) {
        trainer.extend(extensions::snapshot(), {.trigger = {1, "iteration"}});
        trainer.extend([&](Trainer& t) { t.updater().iteration() >= last ? t.stop() : void(); },
                       {.name = "stop", .trigger = {1, "iteration"}});
    };
    const auto early = [](int patience, double most) {
        return triggers::EarlyStoppingTrigger(
            {.monitor = "accuracy", .patience = patience, .max_trigger = {most, "iteration"}});
    };
    train("", triggers::TimeTrigger(1e6), extend);
    last = 9;
    EXPECT_EQ(train("snapshot_iter_5", triggers::TimeTrigger(0), extend), 5);
    train("", early(4, 8), extend);
    EXPECT_EQ(train("snapshot_iter_6", early(4, 5), extend), 6);
    EXPECT_EQ(train("snapshot_iter_7", early(1, 8), extend), 7);
}

TEST_F(ResumeOrder, a_schedule_whose_trigger_is_through_has_set_its_number) {
    const auto rates = [&](const std::string& from) {
        Linear model(2, 1);
        SGD sgd(0.1);
        sgd.setup(model);
        SerialIterator it(Dataset(Array::zeros({Dtype::float32, {4, 2}})), 1);
        StandardUpdater updater(it, sgd, [&](const Variable& x) { return sum(model(x)); });
        Trainer trainer(updater, {5, "iteration"}, path());
        trainer.extend(extensions::ExponentialShift("lr", 0.1),
                       {.trigger = triggers::ManualScheduleTrigger({2, 3}, "iteration")});
        trainer.extend(extensions::snapshot(), {.trigger = {1, "iteration"}});
        if (!from.empty()) load_npz(path(from), trainer);
        std::vector<double> rates;
        trainer.extend([&](Trainer&) { rates.push_back(sgd.hyperparameter("lr").value()); },
                       {.name = "rates", .trigger = {1, "iteration"}, .priority = -300});
        trainer.run();
        return rates;
    };
    const std::vector<double> whole = rates("");
    EXPECT_EQ(rates("snapshot_iter_3"), std::vector<double>(whole.begin() + 3, whole.end()));
    EXPECT_NEAR(whole.back(), .001, 1e-12);
}

}  // namespace
}  // namespace catena
