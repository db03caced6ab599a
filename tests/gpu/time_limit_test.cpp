// The limit that each check on a card holds itself to, by cases that are too slow.
#include "tests/gpu/time_limit.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace catena::testing {
namespace {

using std::chrono::seconds;

/// A clock that a test sets.
TimeLimit::Clock::time_point shown{};
TimeLimit::Clock::time_point shown_time() { return shown; }

TEST(TimeLimit, a_check_that_took_longer_fails_with_its_time) {
    EXPECT_NONFATAL_FAILURE(
        {
            const TimeLimit limit("a full card", 30, shown_time);
            shown += seconds(31);
        },
        "a full card took 31.0 s, its limit is 30 s");
}

TEST(TimeLimit, a_check_that_took_less_passes) {
    const TimeLimit limit("a full card", 30, shown_time);
    shown += seconds(29);
}

TEST(TimeLimitDeathTest, a_check_that_does_not_end_ends_the_process) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            const TimeLimit limit("a full card", 0.02);
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable never;
            never.wait(lock, [] { return false; });
        },
        ::testing::ExitedWithCode(124),
        "a full card has not ended after 0.04 s, its limit is 0.02 s");
}

TEST(TimeLimit, of_the_checks_is_half_a_minute_where_nothing_else_is_set) {
    if (std::getenv("CATENA_TEST_CARD_SECONDS")) GTEST_SKIP() << "CATENA_TEST_CARD_SECONDS is set";
    EXPECT_EQ(TimeLimit::of_checks(), 30);
}

}  // namespace
}  // namespace catena::testing
