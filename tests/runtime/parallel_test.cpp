#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

using testing::Threads;

TEST(Parallel, every_index_is_visited_once) {
    for (int threads : {1, 2, 3, 7}) {
        Threads scope(threads);
        for (int64_t n : {0, 1, 2, 99, 100, 101, 1000}) {
            std::vector<std::atomic<int>> visits(static_cast<size_t>(n));
            parallel_for(n, 10, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) ++visits[size_t(i)];
            });
            for (const auto& count : visits) EXPECT_EQ(count, 1);
        }
    }
}

TEST(Parallel, ranges_are_at_least_a_grain_long) {
    Threads scope(4);
    std::atomic<int> ranges{0};
    parallel_for(100, 30, [&](int64_t begin, int64_t end) {
        EXPECT_GE(end - begin, 30);
        ++ranges;
    });
    EXPECT_EQ(ranges, 3);
}

TEST(Parallel, a_nested_run_stays_on_its_thread) {
    Threads scope(2);
    std::atomic<int64_t> sum{0};
    parallel_for(2, 1, [&](int64_t begin, int64_t end) {
        int inner_ranges = 0;
        parallel_for(1000, 1, [&](int64_t first, int64_t last) {
            ++inner_ranges;
            sum += last - first;
        });
        EXPECT_EQ(inner_ranges, 1);
    });
    EXPECT_EQ(sum, 2000);
}

TEST(Parallel, an_exception_reaches_the_caller) {
    Threads scope(2);
    EXPECT_THROW(parallel_for(2, 1,
                              [](int64_t begin, int64_t) {
                                  if (begin == 1) throw std::out_of_range("one");
                              }),
                 std::out_of_range);
}

TEST(Parallel, no_thread_is_too_few) { EXPECT_THROW(set_thread_count(0), ValueError); }

}  // namespace
}  // namespace catena
