#include <algorithm>

#include <gtest/gtest.h>

#include "passes/analysis/memory_model.h"

namespace catena::passes {
namespace {

/// Layers of training: a product p_i of the activation a_(i-1), an activation a_i of it that is
/// cheap; backward step i reads a_i, p_i and the gradient.
MemoryModel network(int layers, double activation_seconds) {
    MemoryModel m;
    const auto value = [&](int64_t bytes, int maker) {
        m.values.push_back({bytes, maker});
        return int(m.values.size()) - 1;
    };
    const auto step = [&](std::vector<int> reads, int64_t bytes, double seconds) {
        const int made = value(bytes, int(m.steps.size()));
        m.steps.push_back({std::move(reads), {made}, seconds, true});
        return made;
    };
    std::vector<int> p, a{value(0, -1)};
    for (int i = 0; i < layers; ++i) {
        p.push_back(step({a.back()}, 100, 1));
        a.push_back(step({p.back()}, 100, activation_seconds));
    }
    int g = a.back();
    for (int i = layers; i-- > 0;)
        g = step({g, a[size_t(i) + 1], p[size_t(i)]}, i == 0 ? 0 : 100, 2);
    return m;
}

TEST(PlanCheaply, makes_again_what_is_cheap_and_keeps_the_rest) {
    const MemoryModel model = network(10, 0.01);
    const MemoryPlan plan = plan_cheaply(model, 0.02);
    EXPECT_LT(plan.bytes, 0.7 * double(plan_in_order(model).bytes)) << "activations are half of it";
    EXPECT_LE(plan.more_seconds, 0.02 * (10 * 1 + 10 * 0.01 + 10 * 2));
    for (const PlannedStep& step : plan.order)
        EXPECT_LE(std::ranges::count(plan.order, step.step, &PlannedStep::step),
                  model.steps[size_t(step.step)].seconds < 1 ? 2 : 1)
            << "step " << step.step;
}

TEST(PlanCheaply, changes_nothing_where_all_is_dear) {
    const MemoryModel model = network(10, 1);
    const MemoryPlan plan = plan_cheaply(model, 0.02);
    EXPECT_EQ(plan.order.size(), model.steps.size());
    EXPECT_EQ(plan.bytes, plan_in_order(model).bytes);
    EXPECT_EQ(plan.more_seconds, 0);
}

TEST(PlanCheaply, takes_programs_without_steps) {
    EXPECT_EQ(plan_cheaply(MemoryModel{}, 0.02).bytes, 0);
}

}  // namespace
}  // namespace catena::passes
