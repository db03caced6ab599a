#include "passes/analysis/memory_model.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace catena::passes {
namespace {

/// A chain of layers as training runs it: forward f_i makes a_i from a_(i-1), backward b_i makes
/// g_(i-1) from g_i and a_(i-1).
MemoryModel chain(int layers, int64_t bytes = 100) {
    MemoryModel m;
    const auto value = [&](int64_t size, int maker) {
        m.values.push_back({size, maker});
        return int(m.values.size()) - 1;
    };
    std::vector<int> a{value(0, -1)};
    for (int i = 0; i < layers; ++i) {
        const int made = value(bytes, int(m.steps.size()));
        m.steps.push_back({{a.back()}, {made}, 1.0, true});
        a.push_back(made);
    }
    int g = a.back();
    for (int i = layers - 1; i >= 0; --i) {
        const int made = value(i == 0 ? 0 : bytes, int(m.steps.size()));
        m.steps.push_back({{g, a[size_t(i)]}, {made}, 2.0, true});
        g = made;
    }
    return m;
}

/// Runs the order: every read is of the value that the model names, made before. The most bytes
/// alive.
int64_t run(const MemoryModel& model, const MemoryPlan& plan) {
    std::vector<int64_t> change(plan.order.size() + 1, 0);
    std::map<std::pair<int, int>, int> last;  // (place, value) -> last reader.
    std::vector<bool> seen(model.steps.size(), false);
    int next_original = 0;
    for (size_t p = 0; p < plan.order.size(); ++p) {
        const PlannedStep& planned = plan.order[p];
        const MemoryModel::Step& step = model.steps[size_t(planned.step)];
        if (!seen[size_t(planned.step)]) {
            EXPECT_EQ(planned.step, next_original++) << "steps changed their order";
        }
        seen[size_t(planned.step)] = true;
        EXPECT_EQ(planned.read_from.size(), step.reads.size());
        for (size_t i = 0; i < step.reads.size(); ++i) {
            const int from = planned.read_from[i];
            if (from < 0) {
                EXPECT_EQ(model.values[size_t(step.reads[i])].maker, -1);
                continue;
            }
            EXPECT_LT(from, int(p));
            EXPECT_EQ(plan.order[size_t(from)].step, model.values[size_t(step.reads[i])].maker);
            last[{from, step.reads[i]}] = int(p);
        }
        for (int v : step.makes) last[{int(p), v}] = int(p);
    }
    EXPECT_EQ(next_original, int(model.steps.size())) << "a step is missing";
    for (const auto& [value, end] : last) {
        change[size_t(value.first)] += model.values[size_t(value.second)].bytes;
        change[size_t(end) + 1] -= model.values[size_t(value.second)].bytes;
    }
    int64_t now = 0, most = 0;
    for (int64_t c : change) most = std::max(most, now += c);
    return most;
}

TEST(MemoryModel, a_program_within_its_budget_stays_as_it_is) {
    const MemoryModel m = chain(10);
    const MemoryPlan plan = plan_within(m, plan_in_order(m).bytes);
    EXPECT_EQ(plan.order.size(), m.steps.size());
    EXPECT_EQ(plan.more_seconds, 0);
    EXPECT_EQ(run(m, plan), plan.bytes);
}

TEST(MemoryModel, every_budget_of_a_chain_is_met_or_as_near_as_it_can_be) {
    const MemoryModel m = chain(36);
    const int64_t without = plan_in_order(m).bytes;
    EXPECT_EQ(without, 3700);
    for (const int64_t budget : {3000, 2400, 1800, 1500}) {
        SCOPED_TRACE(budget);
        const MemoryPlan plan = plan_within(m, budget);
        EXPECT_EQ(run(m, plan), plan.bytes);
        EXPECT_LE(plan.bytes, budget);
    }
    // About 2 sqrt(36) arrays suffice with one more forward pass; a greedy choice needs somewhat
    // more of both.
    const MemoryPlan least = plan_within(m, 0);
    EXPECT_EQ(run(m, least), least.bytes);
    EXPECT_LE(least.bytes, 1500);
}

TEST(MemoryModel, half_of_the_memory_costs_less_than_a_forward_pass) {
    const MemoryModel m = chain(36);
    const MemoryPlan plan = plan_within(m, 1900);
    EXPECT_LE(plan.bytes, 1900);
    EXPECT_LE(plan.more_seconds, 36);
}

TEST(MemoryModel, what_is_cheap_is_made_again_first) {
    MemoryModel m = chain(8);
    m.steps[3].seconds = 0.01;  // It makes value 4.
    const MemoryPlan plan = plan_within(m, plan_in_order(m).bytes - 1);
    EXPECT_EQ(plan.order.size(), m.steps.size() + 1);
    EXPECT_NEAR(plan.more_seconds, 0.01, 1e-9);
}

TEST(MemoryModel, steps_that_must_not_occur_twice_do_not) {
    MemoryModel m = chain(12);
    for (size_t s = 0; s < m.steps.size(); s += 2) m.steps[s].is_repeatable = false;
    const MemoryPlan plan = plan_within(m, 0);
    EXPECT_EQ(run(m, plan), plan.bytes);
    std::map<int, int> times;
    for (const PlannedStep& step : plan.order) ++times[step.step];
    for (size_t s = 0; s < m.steps.size(); s += 2) EXPECT_EQ(times[int(s)], 1) << "step " << s;
    EXPECT_LT(plan.bytes, plan_in_order(m).bytes);
}

TEST(MemoryModel, random_programs_stay_right_under_any_budget) {
    uint64_t state = 1;
    const auto random = [&](int n) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return int((state >> 33) % uint64_t(n));
    };
    int improved = 0;
    for (int program = 0; program < 60; ++program) {
        MemoryModel m;
        m.values.push_back({0, -1});
        for (int s = 0; s < 60; ++s) {
            MemoryModel::Step step{{}, {}, 0.1 * (1 + random(20)), random(8) > 0};
            for (int i = 0; i < 1 + random(3); ++i)
                step.reads.push_back(random(3) ? std::max(0, int(m.values.size()) - 1 - random(5))
                                               : random(int(m.values.size())));
            for (int i = 0; i < 1 + random(2); ++i) {
                step.makes.push_back(int(m.values.size()));
                m.values.push_back({random(10) ? 10 + random(200) : 0, s});
            }
            m.steps.push_back(std::move(step));
        }
        const int64_t without = plan_in_order(m).bytes;
        EXPECT_EQ(run(m, plan_in_order(m)), without);
        for (const int percent : {90, 70, 40}) {
            const MemoryPlan plan = plan_within(m, without * percent / 100);
            EXPECT_EQ(run(m, plan), plan.bytes) << "program " << program;
            EXPECT_LE(plan.bytes, without);
            improved += plan.bytes < without;
        }
    }
    EXPECT_GT(improved, 60);
}

}  // namespace
}  // namespace catena::passes
