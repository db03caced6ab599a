// Numbers of epochs and iterations are exact, however binary fractions round.
#include <cmath>

#include <gtest/gtest.h>

#include "frontend/trainer/exact_progress.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/triggers.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using testing::MockUpdater;

/// The iterations of the first `last` in which the trigger fires, `per_epoch` of them in an epoch.
std::vector<int64_t> fired(AnyTrigger trigger, int64_t per_epoch, int64_t last) {
    MockUpdater updater(per_epoch);
    Trainer trainer(updater, {last, "iteration"}, ::testing::TempDir());
    std::vector<int64_t> iterations;
    trainer.extend([&](Trainer& t) { iterations.push_back(t.updater().iteration()); },
                   {.name = "fired", .trigger = std::move(trigger)});
    trainer.run();
    return iterations;
}

TEST(ExactProgress, a_tenth_of_ten_iterations_is_each_of_a_hundred) {
    EXPECT_EQ(fired({.1, "epoch"}, 10, 100).size(), 100u);
    EXPECT_EQ(fired({.05, "epoch"}, 20, 200).size(), 200u);
    EXPECT_EQ(fired({1.0 / 3, "epoch"}, 3, 99).size(), 99u);
    EXPECT_EQ(fired({.7, "epoch"}, 10, 70),
              (std::vector<int64_t>{7, 14, 21, 28, 35, 42, 49, 56, 63, 70}));
}

TEST(ExactProgress, an_interval_fires_as_often_as_whole_numbers_say) {
    for (int64_t per_epoch : {1, 3, 7, 10, 49, 50}) {
        for (int64_t hundredths : {1, 5, 10, 28, 33, 55, 99, 100, 136, 250}) {
            std::vector<int64_t> expected;
            for (int64_t k = 1; k <= 300; ++k)
                if (k * 100 / (per_epoch * hundredths) != (k - 1) * 100 / (per_epoch * hundredths))
                    expected.push_back(k);
            EXPECT_EQ(fired({double(hundredths) / 100, "epoch"}, per_epoch, 300), expected)
                << hundredths << "/100 of " << per_epoch;
        }
    }
}

TEST(ExactProgress, a_schedule_is_met_in_its_iteration) {
    for (int64_t hundredth = 2; hundredth <= 300; hundredth += 2)
        EXPECT_EQ(fired(triggers::ManualScheduleTrigger(double(hundredth) / 100, "epoch"), 50, 151),
                  std::vector<int64_t>{hundredth / 2})
            << hundredth;
}

TEST(ExactProgress, iterations_may_have_fractions) {
    EXPECT_EQ(fired({2.5, "iteration"}, 10, 10), (std::vector<int64_t>{3, 5, 8, 10}));
    EXPECT_EQ(fired(triggers::ManualScheduleTrigger({2.5, 4}, "iteration"), 10, 10),
              (std::vector<int64_t>{3, 4}));
}

TEST(ExactProgress, a_fraction_is_the_one_that_was_written) {
    const auto is = [](double number, int64_t numerator, int64_t denominator) {
        const Fraction f = fraction_of(number);
        return f.numerator == numerator && f.denominator == denominator;
    };
    EXPECT_TRUE(is(.1, 1, 10));
    EXPECT_TRUE(is(1.36, 34, 25));
    EXPECT_TRUE(is(2.0 / 7, 2, 7));
    EXPECT_TRUE(is(12345.678, 6172839, 500));
    EXPECT_TRUE(is(20, 20, 1));
    EXPECT_TRUE(is(0, 0, 1));
    EXPECT_TRUE(is(-.25, -1, 4));
    for (const double number : {1e-13, M_PI * 1e-3, 1e300, 1e19, HUGE_VAL}) {
        const Fraction f = fraction_of(number);
        EXPECT_GT(f.numerator, 0) << number;
        EXPECT_GT(f.denominator, 0) << number;
    }
    const Fraction pi = fraction_of(M_PI);
    EXPECT_EQ(double(pi.numerator) / double(pi.denominator), M_PI);
}

/// One that only says where it is, as iterators of users do.
struct Plain : SerialIterator {
    using SerialIterator::SerialIterator;
    int64_t examples_per_epoch() const override { return 0; }
};

struct PlainUpdater : MockUpdater {
    PlainUpdater() : it(Dataset(Array::zeros({Dtype::float32, {10}})), 1, {.shuffle = false}) {}
    Iterator& get_iterator(const std::string&) const override { return it; }
    void update_core() override { it.next(); }
    mutable Plain it;
};

TEST(ExactProgress, an_iterator_need_not_know_the_number_of_its_examples) {
    PlainUpdater updater;
    Trainer trainer(updater, {100, "iteration"}, ::testing::TempDir());
    int times = 0;
    trainer.extend([&](Trainer&) { ++times; }, {.name = "fired", .trigger = {.1, "epoch"}});
    trainer.run();
    EXPECT_EQ(times, 100);
}

}  // namespace
}  // namespace catena
