#include "frontend/trainer/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/dataset/iterator/serial_iterator.h"
#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/sgd.h"
#include "frontend/serializer/npz.h"
#include "frontend/trainer/extensions/dump_graph.h"
#include "frontend/trainer/standard_updater.h"
#include "frontend/trainer/triggers.h"
#include "runtime/graph/settings/config.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::MockUpdater;

class TrainerTest : public testing::FolderTest {
protected:
    /// The iterations in which a trigger fires during `n`.
    std::vector<int64_t> fires(AnyTrigger trigger, int n, int per_epoch = 10) {
        MockUpdater updater(per_epoch);
        Trainer trainer(updater, {n, "iteration"}, path());
        std::vector<int64_t> fired;
        trainer.extend([&](Trainer& t) { fired.push_back(t.updater().iteration()); },
                       {.name = "note", .trigger = trigger});
        trainer.run();
        return fired;
    }
    MockUpdater updater_;
};

TEST_F(TrainerTest, calls_extensions_by_priority_then_age) {
    Trainer trainer(updater_, {2, "iteration"}, path());
    std::string calls;
    auto note = [&](const std::string& text) {
        return [&calls, text](Trainer&) { calls += text; };
    };
    trainer.extend(note("a"), {.name = "a"});
    trainer.extend(note("b"), {.name = "b", .priority = priority_writer});
    trainer.extend(note("c"), {.name = "c"});
    trainer.extend(note("d"), {.name = "d", .trigger = {2, "iteration"}, .priority = -1});
    trainer.extend(note("!"),
                   {.name = "e", .trigger = AnyTrigger::never(), .call_before_training = true});
    trainer.run();
    EXPECT_EQ(calls, "!bacbacd");
    EXPECT_TRUE(updater_.finalized);
    EXPECT_GT(trainer.elapsed_time(), 0);
    EXPECT_THROW(trainer.run(), ValueError);
}

TEST_F(TrainerTest, names_are_unique_and_training_is_refused) {
    Trainer trainer(updater_, {1, "iteration"}, path());
    auto nothing = [](Trainer&) {};
    trainer.extend(nothing, {.name = "x"})
        .extend(nothing, {.name = "x"})
        .extend(nothing, {.name = "x"});
    EXPECT_EQ(trainer.get_extension("x_2").name(), "x_2");
    EXPECT_THROW(trainer.extend(nothing, {.name = "training"}), ValueError);
    EXPECT_THAT(message_of<ValueError>([&] { trainer.get_extension("y"); }),
                HasSubstr("there are: x, x_1, x_2"));
    EXPECT_THROW(trainer.elapsed_time(), ValueError);
}

struct Witness : Extension {
    std::string calls;
    void operator()(Trainer&) override { calls += "call "; }
    void initialize(Trainer&) override { calls += "initialize "; }
    void finalize() override { calls += "finalize "; }
    void on_error(Trainer&, const std::exception& error) override {
        calls += std::string("error:") + error.what() + " ";
        throw std::runtime_error("another");
    }
    std::string default_name() const override { return "Witness"; }
};

TEST_F(TrainerTest, an_error_is_told_to_extensions_and_thrown_after_finalizing) {
    updater_.on_update = [](int64_t iteration) {
        if (iteration == 2) throw std::runtime_error("oops");
    };
    Trainer trainer(updater_, {5, "iteration"}, path());
    auto witness = std::make_shared<Witness>();
    trainer.extend(witness);
    EXPECT_THROW(trainer.run(false), std::runtime_error);
    EXPECT_EQ(witness->calls, "initialize call error:oops finalize ");
    EXPECT_TRUE(updater_.finalized);
}

TEST_F(TrainerTest, interval_trigger_counts_epochs_and_iterations) {
    EXPECT_THAT(fires({3, "iteration"}, 10), ElementsAre(3, 6, 9));
    EXPECT_THAT(fires({1, "epoch"}, 25), ElementsAre(10, 20));
    EXPECT_THAT(fires({0.5, "epoch"}, 16), ElementsAre(5, 10, 15));
    EXPECT_THAT(fires({1, "epoch"}, 7, 3), ElementsAre(3, 6));
    EXPECT_THAT(fires(AnyTrigger::never(), 7), ElementsAre());
    EXPECT_THROW(AnyTrigger(1, "week"), ValueError);
    EXPECT_THROW(AnyTrigger(0, "epoch"), ValueError);
}

TEST_F(TrainerTest, other_triggers_fire_when_they_should) {
    EXPECT_THAT(fires(triggers::ManualScheduleTrigger({2, 5}, "iteration"), 8), ElementsAre(2, 5));
    EXPECT_THAT(fires(triggers::ManualScheduleTrigger({0.5, 2}, "epoch"), 8, 3), ElementsAre(2, 6));
    EXPECT_THAT(fires(triggers::OnceTrigger(), 4), ElementsAre(1));
    EXPECT_THAT(fires([](Trainer& t) { return t.updater().iteration() == 3; }, 4), ElementsAre(3));
    EXPECT_EQ(fires(triggers::TimeTrigger(1e-9), 4).size(), 4u);
    EXPECT_THAT(fires(triggers::TimeTrigger(1e9), 4), ElementsAre());
}

TEST_F(TrainerTest, a_trigger_that_is_given_twice_fires_for_both) {
    const AnyTrigger every(2, "iteration"),
        both[] = {every, triggers::ManualScheduleTrigger({2, 4, 6}, "iteration"),
                  [](Trainer& t) { return t.updater().iteration() % 2 == 0; }};
    for (const AnyTrigger& trigger : both) {
        MockUpdater updater;
        Trainer trainer(updater, {6, "iteration"}, path());
        int a = 0, b = 0;
        trainer.extend([&](Trainer&) { ++a; }, {.name = "a", .trigger = trigger});
        trainer.extend([&](Trainer&) { ++b; }, {.name = "b", .trigger = trigger});
        trainer.run();
        EXPECT_EQ(a, 3);
        EXPECT_EQ(b, 3);
    }
    EXPECT_THAT(fires(every, 4), ElementsAre(2, 4));
}

TEST_F(TrainerTest, a_stop_trigger_that_is_given_twice_stops_both_trainings_at_its_time) {
    const AnyTrigger four(4, "iteration");
    const AnyTrigger stops[] = {
        four, triggers::EarlyStoppingTrigger({.monitor = "x", .patience = 9, .max_trigger = four})};
    for (const AnyTrigger& stop : stops)
        for (int run = 0; run < 2; ++run) {
            MockUpdater updater;
            updater.on_update = [](int64_t i) { report({{"x", double(i)}}); };
            Trainer trainer(updater, stop, path());
            trainer.run();
            EXPECT_EQ(updater.iteration(), 4);
        }
}

TEST_F(TrainerTest, a_trigger_inside_another_counts_for_each_of_them) {
    const AnyTrigger every(2, "iteration");
    MockUpdater updater;
    updater.on_update = [](int64_t i) { report({{"x", -double(i)}}); };
    Trainer trainer(updater, {6, "iteration"}, path());
    int a = 0, b = 0;
    trainer.extend([&](Trainer&) { ++a; },
                   {.name = "a", .trigger = triggers::MinValueTrigger("x", every)});
    trainer.extend([&](Trainer&) { ++b; },
                   {.name = "b", .trigger = triggers::MinValueTrigger("x", every)});
    trainer.run();
    EXPECT_EQ(a, 3);
    EXPECT_EQ(b, 3);
}

TEST_F(TrainerTest, a_shared_trigger_can_be_asked_for_its_best_value) {
    MockUpdater updater;
    updater.on_update = [](int64_t i) { report({{"x", double(i)}}); };
    Trainer trainer(updater, {6, "iteration"}, path());
    auto best = std::make_shared<triggers::MaxValueTrigger>("x", AnyTrigger(2, "iteration"));
    trainer.extend([](Trainer&) {}, {.name = "a", .trigger = best});
    trainer.run();
    EXPECT_EQ(best->best_value(), 5.5);
}

template <class T>
concept CanExtend =
    requires(Trainer& trainer, T&& extension) { trainer.extend(std::forward<T>(extension)); };

TEST_F(TrainerTest,
       extensions_and_triggers_are_moved_or_shared_but_never_copied_behind_the_users_back) {
    static_assert(CanExtend<Witness> && CanExtend<std::shared_ptr<Witness>&> &&
                  !CanExtend<Witness&> && !CanExtend<const Witness&>);
    using Best = triggers::MinValueTrigger;
    static_assert(std::is_constructible_v<AnyTrigger, Best> &&
                  std::is_constructible_v<AnyTrigger, std::shared_ptr<Best>&>);
    static_assert(!std::is_constructible_v<AnyTrigger, Best&> &&
                  !std::is_constructible_v<AnyTrigger, const Best&>);
}

TEST_F(TrainerTest, best_value_triggers_fire_on_improvement_of_the_mean) {
    std::vector<double> values{5, 3, 4, 4, 1, 3, 9, 9};  // Means of pairs: 4, 4, 2, 9.
    for (bool largest : {false, true}) {
        MockUpdater updater(2);
        updater.on_update = [&](int64_t i) { report({{"x", values[size_t(i - 1)]}}); };
        Trainer trainer(updater, {8, "iteration"}, path());
        AnyTrigger trigger = largest ? AnyTrigger(triggers::MaxValueTrigger("x"))
                                     : AnyTrigger(triggers::MinValueTrigger("x"));
        std::vector<int64_t> fired;
        trainer.extend([&](Trainer& t) { fired.push_back(t.updater().iteration()); },
                       {.name = "note", .trigger = trigger});
        trainer.run();
        EXPECT_EQ(fired, largest ? (std::vector<int64_t>{2, 8}) : (std::vector<int64_t>{2, 6}));
    }
}

TEST_F(TrainerTest, early_stopping_waits_for_patience) {
    std::vector<double> losses{5, 4, 4.5, 4.2, 3.9, 4, 4, 4, 4, 4, 4};
    MockUpdater updater(1);
    updater.on_update = [&](int64_t i) { report({{"main/loss", losses[size_t(i - 1)]}}); };
    Trainer trainer(updater, triggers::EarlyStoppingTrigger({.patience = 3}), path());
    trainer.run();
    EXPECT_EQ(updater.iteration(), 8);
    EXPECT_EQ(trainer.stop_trigger().training_length()->length, 100);

    MockUpdater rising(1);
    rising.on_update = [&](int64_t i) { report({{"validation/accuracy", double(i)}}); };
    Trainer until_max(rising,
                      triggers::EarlyStoppingTrigger(
                          {.monitor = "validation/accuracy", .max_trigger = {6, "iteration"}}),
                      path());
    until_max.run();
    EXPECT_EQ(rising.iteration(), 6);
}

TEST_F(TrainerTest,
       early_stopping_misses_nothing_before_the_first_iteration_of_a_resumed_training) {
    const auto train = [&](int64_t until, bool resume) {
        MockUpdater updater(1);
        updater.on_update = [&](int64_t i) { report({{"main/loss", double(i)}}); };
        Trainer trainer(
            updater,
            triggers::EarlyStoppingTrigger({.patience = 9, .max_trigger = {until, "iteration"}}),
            path());
        if (resume) load_npz(path("half"), trainer);
        ::testing::internal::CaptureStderr();
        trainer.run();
        if (!resume) save_npz(path("half"), trainer);
        return ::testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(train(2, false), "");
    EXPECT_EQ(train(4, true), "");
    MockUpdater silent(1);
    Trainer trainer(silent, triggers::EarlyStoppingTrigger({.max_trigger = {2, "iteration"}}),
                    path());
    ::testing::internal::CaptureStderr();
    trainer.run();
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                ::testing::HasSubstr("main/loss is not reported"));
}

TEST_F(TrainerTest, state_of_triggers_survives_a_snapshot) {
    auto count_until = [&](Trainer& trainer, std::vector<int64_t>& fired) {
        trainer.extend([&fired](Trainer& t) { fired.push_back(t.updater().iteration()); },
                       {.name = "a", .trigger = {4, "iteration"}});
        trainer.extend([&fired](Trainer& t) { fired.push_back(-t.updater().iteration()); },
                       {.name = "b", .trigger = triggers::OnceTrigger()});
    };
    std::vector<int64_t> fired;
    MockUpdater updater;
    Trainer trainer(updater, {6, "iteration"}, path());
    count_until(trainer, fired);
    trainer.run();
    save_npz(path("t.npz"), trainer);
    MockUpdater resumed;
    Trainer again(resumed, {13, "iteration"}, path());
    count_until(again, fired);
    load_npz(path("t.npz"), again);
    again.run();
    EXPECT_THAT(fired, ElementsAre(-1, 4, 8, 12));
    EXPECT_GT(again.elapsed_time(), trainer.elapsed_time());
}

TEST_F(TrainerTest, an_updater_of_several_optimizers_says_that_it_has_no_step) {
    Linear model(2, 1);
    SGD sgd;
    sgd.setup(model);
    SerialIterator it(Dataset(Array::zeros({Dtype::float32, {4, 2}})), 2);
    StandardUpdater updater(it, std::map<std::string, Optimizer*>{{"main", &sgd}});
    EXPECT_THAT(message_of<ValueError>([&] { updater.update(); }),
                HasSubstr("override update_core()"));
    EXPECT_EQ(it.current_position(), 0);
}

TEST_F(TrainerTest, says_when_the_folder_cannot_be_made) {
    write("file", "");
    Trainer trainer(updater_, {1, "iteration"}, path("file/out"));
    EXPECT_THAT(message_of<FileError>([&] { trainer.run(); }),
                HasSubstr("cannot create the folder"));
}

TEST_F(TrainerTest, what_failed_before_the_first_iteration_is_finalized_too) {
    struct Noting : Extension {
        int finalized = 0;
        void operator()(Trainer&) override {}
        std::string default_name() const override { return "noting"; }
        void finalize() override { ++finalized; }
    } noting;
    struct Failing : Extension {
        void operator()(Trainer&) override {}
        std::string default_name() const override { return "failing"; }
        void initialize(Trainer&) override { throw std::runtime_error("cannot begin"); }
    } failing;
    Trainer trainer(updater_, {3, "iteration"}, path());
    trainer.extend(std::shared_ptr<Extension>(std::shared_ptr<void>(), &noting),
                   {.name = "noting", .priority = 300});
    trainer.extend(std::shared_ptr<Extension>(std::shared_ptr<void>(), &failing),
                   {.name = "failing", .priority = 200});
    EXPECT_THROW(trainer.run(false), std::runtime_error);
    EXPECT_EQ(noting.finalized, 1);
    EXPECT_TRUE(updater_.finalized);
    EXPECT_EQ(updater_.iteration(), 0);
}

TEST_F(TrainerTest, graphs_are_not_kept_after_a_training_that_failed_in_its_first_iteration) {
    updater_.on_update = [](int64_t) { throw std::runtime_error("the first iteration fails"); };
    Trainer trainer(updater_, {3, "iteration"}, path());
    trainer.extend(extensions::DumpGraph("main/loss"));
    EXPECT_THROW(trainer.run(false), std::runtime_error);
    EXPECT_FALSE(config().keep_graph_on_report);
}

struct WithoutName : Extension {
    void operator()(Trainer&) override {}
};

TEST_F(TrainerTest, an_extension_has_the_name_of_its_class) {
    testing::MockUpdater updater;
    Trainer trainer(updater, {1, "iteration"}, path());
    trainer.extend(WithoutName()).extend(WithoutName());
    EXPECT_NO_THROW(trainer.get_extension<WithoutName>("WithoutName"));
    EXPECT_NO_THROW(trainer.get_extension<WithoutName>("WithoutName_1"));
}

}  // namespace
}  // namespace catena
