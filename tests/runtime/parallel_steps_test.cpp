#include "runtime/core/parallel/parallel_steps.h"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/core/parallel/parallel.h"
#include "tests/support/threads.h"

namespace catena::testing {
namespace {

/// Each part adds up what all parts wrote in the step before: the last sums, or an error if a part
/// did not wait.
int64_t sum_by_steps(int64_t steps, int64_t most_parts) {
    std::vector<int64_t> now(size_t(most_parts), 1), next(size_t(most_parts), 0);
    std::atomic<int64_t> calls = 0;
    parallel_steps(steps, most_parts, [&](int64_t step, int64_t part, int64_t parts) {
        ++calls;
        const std::vector<int64_t>& from = step % 2 ? next : now;
        std::vector<int64_t>& to = step % 2 ? now : next;
        for (int64_t i = most_parts * part / parts; i < most_parts * (part + 1) / parts; ++i) {
            int64_t sum = 0;
            for (int64_t value : from) sum += value;
            to[size_t(i)] = sum % 1'000'003 + i;
        }
    });
    EXPECT_GE(calls, steps);
    int64_t all = 0;
    for (int64_t value : steps % 2 ? next : now) all = all * 31 + value;
    return all;
}

TEST(ParallelSteps, a_step_begins_after_all_parts_of_the_one_before) {
    int64_t expected = 0;
    for (int count : {1, 2, 3, 5}) {
        Threads threads(count);
        const int64_t got = sum_by_steps(2000, 7);
        if (count == 1) expected = got;
        EXPECT_EQ(got, expected) << count << " threads";
    }
}

TEST(ParallelSteps, run_on_one_thread_inside_a_parallel_loop) {
    Threads threads(2);
    std::atomic<int64_t> most = 0;
    parallel_for(2, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
            parallel_steps(3, 2, [&](int64_t, int64_t, int64_t parts) {
                most = std::max<int64_t>(most, parts);
            });
    });
    EXPECT_EQ(most, 1);
}

TEST(ParallelSteps, call_nothing_for_no_steps) {
    parallel_steps(0, 4, [](int64_t, int64_t, int64_t) { FAIL() << "there is no step"; });
}

}  // namespace
}  // namespace catena::testing
