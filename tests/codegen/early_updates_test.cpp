// Updates run as soon as their gradients are there, so that these do not live together.
#include <gtest/gtest.h>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/math.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

constexpr int64_t width = 1152;
constexpr size_t gradient_bytes = width * width * sizeof(float);
constexpr int layers = 6;

/// Layers h = tanh(h W), each with an update of W by a matrix that only the update reads, as
/// gradients are.
struct Layers {
    std::vector<Variable> weights;
    Layers() {
        for (int i = 0; i < layers; ++i)
            weights.push_back(
                state(random_array({Dtype::float32, {width, width}}, uint32_t(i), -0.01, 0.01)));
    }
    Variable update(Variable h, double rate = 0.1) {
        for (Variable& W : weights) {
            const Variable next = tanh(matmul(h, W));
            assign(W, W - matmul(transpose(h), next) * rate);
            h = next;
        }
        return h;
    }
    std::vector<const void*> memory() const {
        std::vector<const void*> addresses;
        for (const Variable& W : weights) addresses.push_back(W.array().raw_data());
        return addresses;
    }
    std::vector<std::vector<float>> content() const {
        std::vector<std::vector<float>> all;
        for (const Variable& W : weights) all.push_back(W.array().to_vector<float>());
        return all;
    }
    void restore(const std::vector<std::vector<float>>& content) {
        for (size_t i = 0; i < weights.size(); ++i)
            weights[i].body()->array = Array::from(content[i], {width, width});
    }
};

Array rows() { return random_array({Dtype::float32, {4, width}}, 9); }
Array indices(int32_t last) { return Array::from<int32_t>({0, 1, 2, last}, {4}); }

/// The region, recorded while it ran, as if it had not.
Region recorded(Layers& model, const Function& f, const std::vector<Array>& arguments) {
    const auto before = model.content();
    Region region(f, arguments);
    model.restore(before);
    return region;
}

}  // namespace

TEST(early_updates, gradients_do_not_live_together) {
    Layers model;
    auto f = [&](const std::vector<Variable>& x) -> std::vector<Variable> {
        return {model.update(x[0])};
    };
    const auto before = model.content();
    Region region(f, {rows()});
    const auto eager = model.content();
    EXPECT_LT(region.info().arena_bytes, 3 * gradient_bytes);
    EXPECT_GE(region.info().update_sweeps, layers - 1);

    model.restore(before);
    const std::vector<const void*> memory = model.memory();
    EXPECT_EQ(region.step({rows()})[0].to_vector<float>(), region.eager()[0].to_vector<float>());
    EXPECT_EQ(model.memory(), memory) << "the updates are made in place";
    EXPECT_EQ(model.content(), eager);
}

TEST(early_updates, what_may_fail_later_delays_them) {
    Layers model;
    auto f = [&](const std::vector<Variable>& x) -> std::vector<Variable> {
        return {take(model.update(x[0]), x[1])};
    };
    const Region region = recorded(model, f, {rows(), indices(3)});
    EXPECT_GE(region.info().arena_bytes, layers * gradient_bytes);
    const auto before = model.content();
    EXPECT_THROW(region.run({rows(), indices(4)}, true), ValueError);
    EXPECT_EQ(model.content(), before);
}

TEST(early_updates, indices_that_were_accepted_before_delay_nothing) {
    Layers model;
    // The gradient of a lookup checks the indices of the lookup again.
    auto f = [&](const std::vector<Variable>& x) -> std::vector<Variable> {
        const Variable h = model.update(take(x[0], x[1]));
        return {take(h, x[1])};
    };
    const Region region = recorded(model, f, {rows(), indices(3)});
    EXPECT_LT(region.info().arena_bytes, 3 * gradient_bytes);
    const auto before = model.content();
    EXPECT_THROW(region.run({rows(), indices(4)}, true), ValueError);
    EXPECT_EQ(model.content(), before);
}

TEST(early_updates, indices_that_were_accepted_for_more_places_may_still_fail) {
    Layers model;
    auto f = [&](const std::vector<Variable>& x) -> std::vector<Variable> {
        const Variable h = model.update(take(concat({x[0], x[0]}, 0), x[1]));
        return {take(h, x[1])};
    };
    const Region region = recorded(model, f, {rows(), indices(3)});
    EXPECT_GE(region.info().arena_bytes, layers * gradient_bytes);
    const auto before = model.content();
    EXPECT_THROW(region.run({rows(), indices(4)}, true), ValueError);
    EXPECT_EQ(model.content(), before);
}

TEST(early_updates, small_ones_wait_for_each_other) {
    std::vector<Variable> weights;
    for (uint32_t i = 0; i < layers; ++i)
        weights.push_back(state(random_array({Dtype::float32, {64, 64}}, i)));
    auto f = [&](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable h = x[0];
        for (Variable& W : weights) {
            const Variable next = tanh(matmul(h, W));
            assign(W, W - matmul(transpose(h), next) * 0.1);
            h = next;
        }
        return {h};
    };
    EXPECT_EQ(Region(f, {random_array({Dtype::float32, {4, 64}}, 9)}).info().update_sweeps, 1);
}

TEST(early_updates, a_state_read_to_the_end_is_replaced_at_the_end) {
    Variable W = state(random_array({Dtype::float32, {width, width}}, 1, -0.01, 0.01));
    auto f = [&](const std::vector<Variable>& x) -> std::vector<Variable> {
        const Variable old = W;
        Variable h = tanh(matmul(x[0], old));
        assign(W, old - matmul(transpose(h), h) * 0.1);
        for (int i = 0; i < 10; ++i) h = tanh(matmul(h, old));
        return {h};
    };
    const Array content = Array::from(W.array().to_vector<float>(), {width, width});
    Region region(f, {rows()});
    const std::vector<float> updated = W.array().to_vector<float>();
    W.body()->array = content;
    EXPECT_EQ(region.step({rows()})[0].to_vector<float>(), region.eager()[0].to_vector<float>());
    EXPECT_EQ(W.array().to_vector<float>(), updated);
    EXPECT_EQ(W.array().raw_data(), content.raw_data());
}

}  // namespace catena::test
