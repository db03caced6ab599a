#include "tests/fuzz_files/supervised.h"

#include <csignal>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace catena::fuzz {
namespace {

using ::testing::HasSubstr;

TEST(Supervised, counts_what_was_accepted_and_refused) {
    const Tally tally = supervised({.seconds = 0.2}, [](uint64_t seed) { return seed % 2 == 0; });
    EXPECT_GT(tally.inputs, 1000);
    EXPECT_EQ(tally.inputs, tally.accepted + tally.refused);
    EXPECT_LE(std::abs(tally.accepted - tally.refused), 1);
    EXPECT_GT(tally.peak_bytes, 0);
    EXPECT_TRUE(tally.failures.empty());
}

TEST(Supervised, tells_of_deaths_hangs_and_other_errors_with_their_seeds) {
    const Supervision how{.first_seed = 100, .seconds = 2, .patience = 0.3, .most_failures = 4};
    const Tally tally = supervised(how, [](uint64_t seed) -> bool {
        if (seed == 110) raise(SIGKILL);
        if (seed == 120) throw std::out_of_range("a number");
        if (seed == 130) std::this_thread::sleep_for(std::chrono::hours(1));
        if (seed == 140) _exit(7);
        return true;
    });
    ASSERT_EQ(tally.failures.size(), 4u);
    EXPECT_EQ(tally.failures[0].seed, 110u);
    EXPECT_THAT(tally.failures[0].what, HasSubstr("died of Killed"));
    EXPECT_EQ(tally.failures[1].seed, 120u);
    EXPECT_THAT(tally.failures[1].what, HasSubstr("out_of_range: a number"));
    EXPECT_EQ(tally.failures[2].seed, 130u);
    EXPECT_THAT(tally.failures[2].what, HasSubstr("longer than 0.3 s"));
    EXPECT_EQ(tally.failures[3].seed, 140u);
    EXPECT_THAT(tally.failures[3].what, HasSubstr("ended with 7"));
    EXPECT_EQ(tally.inputs, 41);
    EXPECT_EQ(tally.accepted, 37);
}

}  // namespace
}  // namespace catena::fuzz
