#include "runtime/core/parallel/share.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace catena {
namespace {

std::vector<Share> shares_of(const std::vector<ThreadWork>& threads, int work) {
    std::vector<Share> found;
    for (const ThreadWork& thread : threads)
        for (const WorkPart& part : thread.parts)
            if (part.work == work) found.push_back(part.units);
    return found;
}

TEST(Share, shares_lie_side_by_side_and_cover_all) {
    for (int64_t n : {0, 1, 5, 64, 1001})
        for (int64_t count : {1, 2, 3, 8}) {
            int64_t next = 0;
            for (int64_t i = 0; i < count; ++i) {
                const Share share = share_of(n, i, count);
                EXPECT_EQ(share.begin, next);
                EXPECT_LE(std::abs(share.size() * count - n), count);
                next = share.end;
            }
            EXPECT_EQ(next, n);
        }
}

TEST(Share, a_thread_has_its_share_of_each_array_whatever_is_worked_on_beside_it) {
    const Work weights{.units = 96, .unit_cost = 10}, others{.units = 300, .unit_cost = 7};
    const std::vector<Share> alone = shares_of(share_work(std::vector{weights}, 100, 2), 0);
    EXPECT_EQ(alone, (std::vector<Share>{{0, 48}, {48, 96}}));
    EXPECT_EQ(shares_of(share_work(std::vector{weights, others}, 100, 2), 0), alone);
    EXPECT_EQ(shares_of(share_work(std::vector{others, others, weights}, 100, 2), 2), alone);
}

TEST(Share, small_work_goes_to_the_thread_that_has_least) {
    // Two units of three for the second thread; so the first has the small ones, until it has as
    // much.
    const std::vector<Work> all = {{.units = 1, .unit_cost = 40},
                                   {.units = 3, .unit_cost = 100},
                                   {.units = 1, .unit_cost = 50},
                                   {.units = 1, .unit_cost = 30}};
    const std::vector<ThreadWork> threads = share_work(all, 60, 2);
    EXPECT_EQ(threads[0].cost, 220);
    EXPECT_EQ(threads[1].cost, 200);
    EXPECT_EQ(shares_of(threads, 1), (std::vector<Share>{{0, 1}, {1, 3}}));
}

TEST(Share, work_that_is_too_small_for_all_threads_is_done_by_some) {
    const std::vector<Work> all(16, Work{.units = 100, .unit_cost = 4});
    const std::vector<ThreadWork> threads = share_work(all, 100, 64);
    std::set<double> costs;
    for (const ThreadWork& thread : threads) costs.insert(thread.cost);
    EXPECT_EQ(costs, std::set<double>{100});
}

TEST(Share, each_unit_is_done_once) {
    for (int threads : {1, 2, 3, 7, 64})
        for (double least : {1.0, 50.0, 1e6}) {
            std::vector<Work> all;
            for (int w = 0; w < 20; ++w)
                all.push_back({.units = w * 37 % 101, .unit_cost = 1.0 + w % 5});
            std::map<std::pair<int, int64_t>, int> times;
            double cost = 0;
            for (const ThreadWork& thread : share_work(all, least, threads)) {
                cost += thread.cost;
                for (const WorkPart& part : thread.parts)
                    for (int64_t u = part.units.begin; u < part.units.end; ++u)
                        ++times[{part.work, u}];
            }
            double expected = 0;
            for (int w = 0; w < 20; ++w) {
                expected += all[size_t(w)].cost();
                for (int64_t u = 0; u < all[size_t(w)].units; ++u)
                    EXPECT_EQ((times[{w, u}]), 1) << threads << " threads";
            }
            EXPECT_DOUBLE_EQ(cost, expected);
        }
}

}  // namespace
}  // namespace catena
