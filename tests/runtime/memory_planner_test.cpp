#include "runtime/program/schedule/memory_planner.h"

#include <random>

#include <gtest/gtest.h>

namespace catena::program {
namespace {

bool meet(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

/// Most bytes needed at any step: no plan can be smaller.
int64_t lower_bound(const std::vector<Lifetime>& buffers, int steps) {
    int64_t most = 0;
    for (int step = 0; step < steps; ++step) {
        int64_t now = 0;
        for (const Lifetime& b : buffers)
            if (b.first <= step && step <= b.last) now += b.bytes;
        most = std::max(most, now);
    }
    return most;
}

TEST(memory_planner, buffers_needed_together_do_not_overlap) {
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::mt19937 random(seed);
        std::vector<Lifetime> buffers;
        int steps = 30;
        for (int i = 0; i < 60; ++i) {
            int first = int(random() % steps), length = int(random() % 8);
            buffers.push_back(
                {first, std::min(first + length, steps - 1), int64_t(random() % 5000)});
        }
        MemoryPlan plan = plan_memory(buffers, 64);
        ASSERT_EQ(plan.offsets.size(), buffers.size());
        for (size_t i = 0; i < buffers.size(); ++i) {
            EXPECT_EQ(plan.offsets[i] % 64, 0);
            EXPECT_LE(plan.offsets[i] + buffers[i].bytes, plan.bytes);
            for (size_t j = 0; j < i; ++j) {
                if (!meet(buffers[i], buffers[j])) continue;
                bool apart = plan.offsets[i] + buffers[i].bytes <= plan.offsets[j] ||
                             plan.offsets[j] + buffers[j].bytes <= plan.offsets[i];
                EXPECT_TRUE(apart) << "seed " << seed << " buffers " << i << " " << j;
            }
        }
        EXPECT_GE(plan.bytes, lower_bound(buffers, steps));
        // Alignment and fragmentation cost something, but not half as much again.
        EXPECT_LE(plan.bytes, lower_bound(buffers, steps) * 3 / 2 + 64 * int64_t(buffers.size()));
    }
}

TEST(memory_planner, a_chain_needs_two_buffers) {
    std::vector<Lifetime> chain;
    for (int i = 0; i < 100; ++i) chain.push_back({i, i + 1, 1024});
    EXPECT_EQ(plan_memory(chain).bytes, 2048);
}

TEST(memory_planner, empty_buffers_take_no_memory) {
    EXPECT_EQ(plan_memory(std::vector<Lifetime>{{0, 5, 0}, {1, 2, 0}}).bytes, 0);
    EXPECT_EQ(plan_memory({}).bytes, 0);
}

}  // namespace
}  // namespace catena::program
