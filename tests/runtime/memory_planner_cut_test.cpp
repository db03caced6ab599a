// Plans with a cut: what is needed on both sides lies at the beginning, in memory that somebody
// keeps.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "runtime/program/schedule/memory_planner.h"

namespace catena::program {
namespace {

bool is_kept(const Lifetime& b, int cut) { return b.first < cut && b.last >= cut; }

TEST(memory_planner_cut, keeps_what_crosses_side_by_side_and_nothing_lies_across_its_end) {
    int shared = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::mt19937 random(seed);
        std::vector<Lifetime> buffers;
        const int steps = 30, cut = 5 + int(random() % 20);
        for (int i = 0; i < 60; ++i) {
            const int first = int(random() % steps), length = int(random() % 12);
            buffers.push_back(
                {first, std::min(first + length, steps - 1), int64_t(random() % 5000)});
        }
        const MemoryPlan plan = plan_memory(buffers, 64, cut);
        int64_t kept = 0;
        for (size_t i = 0; i < buffers.size(); ++i) {
            const Lifetime& b = buffers[i];
            if (b.bytes == 0) continue;
            const int64_t end = plan.offsets[i] + b.bytes;
            if (is_kept(b, cut)) {
                kept += (b.bytes + 63) / 64 * 64;
                EXPECT_LE(end, plan.kept_bytes);
            } else {
                EXPECT_TRUE(end <= plan.kept_bytes || plan.offsets[i] >= plan.kept_bytes)
                    << "seed " << seed << " buffer " << i;
                shared += end <= plan.kept_bytes;
            }
            EXPECT_LE(end, plan.bytes);
            for (size_t j = 0; j < i; ++j) {
                if (buffers[j].bytes == 0 || buffers[j].first > b.last || b.first > buffers[j].last)
                    continue;
                EXPECT_TRUE(end <= plan.offsets[j] ||
                            plan.offsets[j] + buffers[j].bytes <= plan.offsets[i])
                    << "seed " << seed << " buffers " << i << " " << j;
            }
        }
        EXPECT_EQ(plan.kept_bytes, kept) << seed;
    }
    EXPECT_GT(shared, 100);  // Temporaries lie in kept memory before and after it is in use.
}

TEST(memory_planner_cut, keeps_nothing_without_a_cut) {
    EXPECT_EQ(plan_memory(std::vector<Lifetime>{{0, 5, 100}, {1, 2, 100}}).kept_bytes, 0);
}

}  // namespace
}  // namespace catena::program
