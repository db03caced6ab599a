// Extensions start with the loaded state, whatever their order beside the snapshot.
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

class Autoload : public testing::FolderTest {
protected:
    /// The learning rate after each iteration of a training up to `last`, with a snapshot after
    /// each.
    std::vector<double> rates(int last, bool shift_first, bool autoload) {
        Linear model(2, 1);
        SGD sgd(0.01);
        sgd.setup(model);
        SerialIterator it(Dataset(Array::zeros({Dtype::float32, {4, 2}})), 1);
        StandardUpdater updater(it, sgd, [&](const Variable& x) { return sum(model(x)); });
        Trainer trainer(updater, {double(last), "iteration"}, path("result"));
        const auto shift = [&] {
            trainer.extend(extensions::StepShift("lr", 0.5, 2), {.trigger = {1, "iteration"}});
        };
        if (shift_first) shift();
        trainer.extend(extensions::snapshot({.autoload = autoload}), {.trigger = {1, "iteration"}});
        if (!shift_first) shift();
        std::vector<double> rates;
        trainer.extend([&](Trainer&) { rates.push_back(sgd.hyperparameter("lr").value()); },
                       {.name = "rates", .trigger = {1, "iteration"}, .priority = -300});
        trainer.run();
        return rates;
    }
};

TEST_F(Autoload, a_shift_goes_on_where_it_was_whatever_the_order) {
    const std::vector<double> whole = rates(6, true, false);
    for (const bool shift_first : {true, false}) {
        std::filesystem::remove_all(path("result"));
        rates(3, shift_first, false);
        const std::vector<double> rest = rates(6, shift_first, true);
        EXPECT_EQ(rest, std::vector<double>(whole.begin() + 3, whole.end())) << shift_first;
    }
}

/// Tells what its state was when it was initialized.
struct Counting : Extension {
    explicit Counting(int64_t* seen) : seen_(seen) {}
    void initialize(Trainer& trainer) override {
        *seen_ = count_ * 100 + trainer.updater().iteration();
    }
    void operator()(Trainer&) override { ++count_; }
    void serialize(const Serializer& s) override { s("count", count_); }
    std::string default_name() const override { return "Counting"; }
    int priority() const override { return priority_writer; }
    int64_t* seen_;
    int64_t count_ = 0;
};

TEST_F(Autoload, an_extension_with_a_state_is_initialized_after_the_load) {
    int64_t seen = -1;
    for (const int last : {3, 5}) {
        testing::MockUpdater updater;
        Trainer trainer(updater, {double(last), "iteration"}, path("result"));
        trainer.extend(Counting(&seen));
        trainer.extend(extensions::snapshot({.autoload = true}), {.trigger = {1, "iteration"}});
        trainer.run();
    }
    EXPECT_EQ(seen, 303);
}

TEST_F(Autoload, an_extension_is_initialized_although_its_trigger_is_through) {
    std::vector<int64_t> seen;
    for (const int last : {3, 5}) {
        testing::MockUpdater updater;
        Trainer trainer(updater, {double(last), "iteration"}, path("result"));
        seen.push_back(-1);
        trainer.extend(Counting(&seen.back()),
                       {.trigger = triggers::ManualScheduleTrigger({2}, "iteration")});
        trainer.extend(extensions::snapshot({.autoload = true}), {.trigger = {1, "iteration"}});
        trainer.run();
    }
    EXPECT_EQ(seen, (std::vector<int64_t>{0, 103}));
}

}  // namespace
}  // namespace catena
