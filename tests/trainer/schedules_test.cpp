// Schedules that follow each other, functions as extensions with all their calls, and changed
// plots.
#include <gmock/gmock.h>

#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/sgd.h"
#include "frontend/trainer/extensions/report/plot_report.h"
#include "frontend/trainer/extensions/shift.h"
#include "frontend/trainer/make_extension.h"
#include "frontend/trainer/standard_updater.h"
#include "frontend/trainer/trainer.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using namespace extensions;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::MockUpdater;

class SchedulesTest : public testing::FolderTest {
protected:
    /// lr before training and after each of n iterations.
    std::vector<double> learning_rates(const std::function<void(Trainer&)>& extend, int n,
                                       double start = 2) {
        Linear model(1, 1);
        SGD sgd(start);
        sgd.setup(model);
        SerialIterator it(Dataset({Array::zeros({Dtype::float32, {4, 1}})}), 1);
        StandardUpdater updater(it, sgd, [&](const Variable& x) { return sum(model(x)); });
        Trainer trainer(updater, {n, "iteration"}, path());
        extend(trainer);
        std::vector<double> seen;
        trainer.extend([&](Trainer&) { seen.push_back(sgd.lr); },
                       {.name = "note", .call_before_training = true});
        trainer.run(false);
        return seen;
    }
    std::vector<double> learning_rates(Shift shift, int n) {
        return learning_rates([&](Trainer& trainer) { trainer.extend(std::move(shift)); }, n);
    }
};

auto near(const std::vector<double>& expected) {
    return ::testing::Pointwise(::testing::DoubleNear(1e-12), expected);
}

TEST_F(SchedulesTest, cosine_falls_to_its_target_and_stays) {
    EXPECT_THAT(learning_rates(CosineShift("lr", 2), 3), near({2, 1, 0, 0}));
    EXPECT_THAT(learning_rates(CosineShift("lr", 3, {.init = 4, .target = 1}), 4),
                near({4, 1 + 3 * 0.75, 1 + 3 * 0.25, 1, 1}));
    EXPECT_THAT(message_of<ValueError>([] { CosineShift("lr", 0); }),
                HasSubstr("max_count is 0, it should be positive"));
}

TEST_F(SchedulesTest, chained_schedules_follow_each_other) {
    EXPECT_THAT(learning_rates(ChainedShift({{WarmupShift("lr", 0, 2, 1), 2},
                                             {StepShift("lr", 0.5, 1), 2},
                                             {CosineShift("lr", 2), 2}}),
                               7),
                near({0, 0.5, 1, 0.5, 0.25, 0.125, 0, 0}));
    // A part with an init of its own begins there; the last part goes on.
    EXPECT_THAT(learning_rates(ChainedShift({{ExponentialShift("lr", 0.5), 1},
                                             {ExponentialShift("lr", 0.1, {.init = 8}), 1}}),
                               3),
                near({2, 8, 0.8, 0.08}));
    EXPECT_THAT(message_of<ValueError>([] {
                    ChainedShift({{CosineShift("lr", 1), 1}, {CosineShift("alpha", 1), 1}});
                }),
                HasSubstr("'lr' and 'alpha' cannot follow each other"));
    EXPECT_THAT(message_of<ValueError>([] { ChainedShift({{CosineShift("lr", 1), 0}}); }),
                HasSubstr("for 0 calls"));
    EXPECT_THROW(ChainedShift({}), ValueError);
}

TEST_F(SchedulesTest, two_schedules_of_one_hyperparameter_are_an_error) {
    const auto two = [](Trainer& trainer) {
        trainer.extend(WarmupShift("lr", 0, 5, 2));
        trainer.extend(ExponentialShift("lr", 0.5, {.init = 2}));
    };
    EXPECT_THAT(
        message_of<ValueError>([&] { learning_rates(two, 3); }),
        ::testing::AllOf(HasSubstr("something else changes it, too"), HasSubstr("ChainedShift")));
}

TEST_F(SchedulesTest, made_extensions_are_initialized_and_finalized) {
    std::vector<std::string> calls;
    const auto note = [&](const char* name) { calls.push_back(name); };
    MockUpdater updater;
    Trainer trainer(updater, {2, "iteration"}, path());
    trainer.extend(make_extension(
        [&](Trainer&) { note("call"); },
        {.default_name = "noted",
         .priority = priority_writer,
         .initializer = [&](Trainer& t) { note(t.is_before_training() ? "initializer" : "late"); },
         .finalizer = [&] { note("finalizer"); },
         .on_error = [&](Trainer&, const std::exception&) { note("error"); }}));
    trainer.extend([&](Trainer&) { note("plain"); }, {.name = "plain"});
    EXPECT_EQ(trainer.get_extension("noted").priority(), priority_writer);
    trainer.run();
    EXPECT_THAT(calls, ElementsAre("initializer", "call", "plain", "call", "plain", "finalizer"));
}

TEST_F(SchedulesTest, made_extensions_are_told_of_errors_and_fire_by_their_trigger) {
    std::vector<std::string> calls;
    MockUpdater updater;
    updater.on_update = [](int64_t iteration) {
        if (iteration == 4) fail<ValueError>("broken");
    };
    Trainer trainer(updater, {10, "iteration"}, path());
    trainer.extend(make_extension(
        [&](Trainer& t) { calls.push_back(fmt::format("{}", t.updater().iteration())); },
        {.trigger = {2, "iteration"},
         .default_name = "noted",
         .finalizer = [&] { calls.push_back("finalizer"); },
         .on_error = [&](Trainer&,
                         const std::exception& error) { calls.push_back(error.what()); }}));
    EXPECT_THROW(trainer.run(false), ValueError);
    EXPECT_THAT(calls, ElementsAre("2", "broken", "finalizer"));
    EXPECT_THAT(message_of<ValueError>([&] { trainer.extend(make_extension([](Trainer&) {})); }),
                HasSubstr("needs a name"));
}

TEST_F(SchedulesTest, a_plot_is_drawn_by_the_changed_script) {
    MockUpdater updater;
    Trainer trainer(updater, {2, "iteration"}, path());
    trainer.extend(
        [](Trainer& t) { t.observation().emplace("x", double(t.updater().iteration())); },
        {.name = "x", .priority = priority_writer});
    double mean = 0;
    trainer.extend(PlotReport(
        {"x"},
        {.trigger = {2, "iteration"},
         .postprocess = [&](std::string& script, const std::map<std::string, double>& means) {
             script = "# changed\n" + script;
             mean = means.at("x");
         }}));
    trainer.run();
    EXPECT_EQ(mean, 1.5);
    EXPECT_THAT(content("plot.gp"), ::testing::StartsWith("# changed\nset terminal png"));
}

}  // namespace
}  // namespace catena
