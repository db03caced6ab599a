#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/codegen/region.h"
#include "tests/support/environment.h"

namespace catena::test {

namespace {

Array f32(const Shape& shape, uint32_t seed = 1) {
    return random_array({Dtype::float32, shape}, seed);
}

/// Momentum SGD on parameters whose gradients are the arguments.
struct Momentum {
    std::vector<Variable> parameters, moments;
    explicit Momentum(const std::vector<Shape>& shapes) {
        for (const Shape& shape : shapes) {
            parameters.push_back(state(f32(shape, 7)));
            moments.push_back(state(f32(shape, 8)));
        }
    }
    std::vector<Variable> operator()(const std::vector<Variable>& gradients) {
        for (size_t i = 0; i < parameters.size(); ++i) {
            Variable moment = moments[i] * 0.9 + gradients[i];
            Variable parameter = parameters[i] - moment * 0.1;
            assign(moments[i], moment);
            assign(parameters[i], parameter);
        }
        return {sum(gradients[0])};
    }
};

}  // namespace

TEST(step, an_update_of_all_parameters_is_one_sweep) {
    Momentum momentum({{30, 40}, {40}, {40, 10}, {10}});
    std::vector<Array> gradients;
    for (const Variable& p : momentum.parameters) gradients.push_back(f32(p.shape(), 9));
    Region region([&](const std::vector<Variable>& g) { return momentum(g); }, gradients);
    EXPECT_EQ(region.info().update_sweeps, 1);
    EXPECT_EQ(region.info().library_calls, 0);
}

TEST(step, donated_states_are_updated_in_place) {
    Momentum momentum({{30, 40}, {40}});
    std::vector<Array> gradients{f32({30, 40}, 9), f32({40}, 9)};
    Region region([&](const std::vector<Variable>& g) { return momentum(g); }, gradients);
    const void* before = momentum.parameters[0].array().raw_data();
    std::vector<float> p = momentum.parameters[0].array().to_vector<float>();
    std::vector<float> m = momentum.moments[0].array().to_vector<float>();
    std::vector<float> g = gradients[0].to_vector<float>();
    region.step(gradients);
    EXPECT_EQ(momentum.parameters[0].array().raw_data(), before);
    std::vector<float> after = momentum.parameters[0].array().to_vector<float>();
    for (size_t i = 0; i < p.size(); ++i)
        EXPECT_FLOAT_EQ(after[i], p[i] - (m[i] * 0.9f + g[i]) * 0.1f);
}

TEST(step, what_is_not_donated_keeps_its_elements) {
    Momentum momentum({{30, 40}});
    std::vector<Array> gradients{f32({30, 40}, 9)};
    Region region([&](const std::vector<Variable>& g) { return momentum(g); }, gradients);
    Array kept = momentum.parameters[0].array();
    std::vector<float> before = kept.to_vector<float>();
    region.run(gradients, false);
    EXPECT_EQ(kept.to_vector<float>(), before);
}

TEST(step, a_state_that_is_read_after_its_update_is_not_overwritten) {
    Variable w = state(f32({16}, 3));
    auto f = [&](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable old = w;
        Variable updated = old - x[0];
        Variable later = sum(old * sum(updated));
        assign(w, updated);
        return {later};
    };
    Array x = f32({16}, 4);
    std::vector<float> before = w.array().to_vector<float>();
    Array content = w.array();
    Region region(f, {x});
    w.body()->array = content;
    double total = 0, expected = 0;
    std::vector<float> xs = x.to_vector<float>();
    for (size_t i = 0; i < xs.size(); ++i) total += before[i] - xs[i];
    for (float v : before) expected += v * total;
    EXPECT_NEAR(region.step({x})[0].item<float>(), expected, 1e-4);
}

TEST(step, a_wrong_index_leaves_what_was_donated_whole) {
    Variable counted = state(f32({4, 4}, 3)), looked_up = state(f32({4, 4}, 4));
    // The first update is read by the product before the lookup, the second one is made of what was
    // looked up.
    auto f = [&](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable first = counted + 1.0;
        Variable rows = take(matmul(first, first), x[0]);
        assign(counted, first);
        assign(looked_up, looked_up + rows);
        return {sum(rows)};
    };
    const Array right = Array::from<int32_t>({0, 1, 2, 3}, {4}),
                wrong = Array::from<int32_t>({0, 1, 2, 4}, {4});
    Region region(f, {right});
    const Array first = counted.array(), second = looked_up.array();
    const std::vector<float> before_first = first.to_vector<float>(),
                             before_second = second.to_vector<float>();
    EXPECT_THROW(region.run({wrong}, true), ValueError);
    EXPECT_EQ(first.to_vector<float>(), before_first);
    EXPECT_EQ(second.to_vector<float>(), before_second);
    // What is written after the lookup still takes the old memory.
    const void* memory = second.raw_data();
    region.step({right});
    EXPECT_EQ(looked_up.array().raw_data(), memory);
}

TEST(step, is_the_same_whichever_pass_is_left_out) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable h = tanh(matmul(x[0], x[1])), again = tanh(matmul(x[0] * 2.0, x[1]));
        return {sum(h * h, 1, true) + h, matmul(h, x[1]) + matmul(again, x[1]),
                exp(again) + exp(again)};
    };
    std::vector<Array> arguments{f32({8, 8}), f32({8, 8}, 2)};
    for (const char* name : {"canonicalize", "cse", "drop-dead", "join-calls", "fuse",
                             "canonicalize,cse,drop-dead,join-calls,fuse"}) {
        SCOPED_TRACE(name);
        EnvironmentScope scope("CATENA_DISABLE_PASS", name);
        expect_as_near_as_eager(f, arguments, 32);
    }
}

TEST(step, steady_state_asks_the_system_for_nothing) {
    Momentum momentum({{300, 400}, {400}});
    std::vector<Array> gradients{f32({300, 400}, 9), f32({400}, 9)};
    Region region([&](const std::vector<Variable>& g) { return momentum(g); }, gradients);
    for (int i = 0; i < 3; ++i) region.step(gradients);
    size_t before = cpu_memory_statistics().system_allocations;
    for (int i = 0; i < 10; ++i) region.step(gradients);
    EXPECT_EQ(cpu_memory_statistics().system_allocations, before);
}

}  // namespace catena::test
