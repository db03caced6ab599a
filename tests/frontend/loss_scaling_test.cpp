#include "frontend/optimizer/loss_scaling.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/graph/settings/autocast.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

struct Weight : Chain {
    Parameter W{Array::from({1.0f, -2.0f, 3.0f}), "W"};
    Weight() { add_param("W", W); }
};

Variable constant(float value) {
    return Variable(Array::full({Dtype::float32, {3}}, value), false);
}

/// One update with gradients `scale * x`.
void step(Weight& model, Optimizer& optimizer, float x) {
    optimizer.update([&] { return sum(model.W * constant(x)); });
}

TEST(LossScaling, doubles_until_a_gradient_overflows_then_grows_slowly) {
    Weight model;
    SGD sgd(0);
    sgd.setup(model);
    auto scaling = loss_scaling(sgd, {.interval = 4});
    for (int i = 0; i < 9; ++i) {
        EXPECT_EQ(scaling->scale(), std::exp2(i));
        step(model, sgd, 1e36f);
        EXPECT_TRUE(scaling->is_safe_to_update());
    }
    step(model, sgd, 1e36f);  // 512e36 is more than float32 holds.
    EXPECT_FALSE(scaling->is_safe_to_update());
    EXPECT_EQ(scaling->scale(), 256);
    step(model, sgd, 1e30f);
    EXPECT_TRUE(scaling->is_safe_to_update());
    EXPECT_NEAR(scaling->scale(), 256 * std::pow(2, 0.25), 1e-3);
    EXPECT_EQ(sgd.t(), 11);
}

TEST(LossScaling, stays_between_one_and_the_highest) {
    Weight model;
    SGD sgd(0);
    sgd.setup(model);
    auto scaling = loss_scaling(sgd, {.initial = 4, .highest = 10});
    step(model, sgd, 1);
    step(model, sgd, 1);
    EXPECT_EQ(scaling->scale(), 10);
    for (int i = 0; i < 6; ++i) step(model, sgd, std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(scaling->scale(), 1);
}

TEST(LossScaling, gradients_are_unscaled_before_the_update_and_with_a_fixed_scale_too) {
    for (const double fixed : {1.0, 128.0}) {
        Weight model;
        SGD sgd(0.5);
        sgd.setup(model);
        sgd.set_loss_scale(fixed);
        auto scaling = loss_scaling(sgd, {.initial = 1024});
        step(model, sgd, 4);
        EXPECT_EQ(model.W.array().to_vector<float>(), (std::vector<float>{-1, -4, 1}));
    }
}

TEST(LossScaling, a_bad_update_changes_neither_parameters_nor_moments) {
    Weight model;
    Adam adam(0.1);
    adam.setup(model);
    auto scaling = loss_scaling(adam);
    step(model, adam, 1);
    const std::vector<float> before = model.W.array().to_vector<float>();
    const std::vector<float> moment = adam.slots()[0].moments[0].array().to_vector<float>();
    step(model, adam, std::numeric_limits<float>::infinity());
    EXPECT_EQ(model.W.array().to_vector<float>(), before);
    EXPECT_EQ(adam.slots()[0].moments[0].array().to_vector<float>(), moment);
    EXPECT_FALSE(scaling->is_safe_to_update());
    step(model, adam, 1);
    EXPECT_NE(model.W.array().to_vector<float>(), before);
}

TEST(LossScaling, is_one_program_with_the_same_trajectory_in_a_region) {
    expect_same([&](Side& side) {
        Mlp model;
        Adam adam(0.01);
        adam.setup(model);
        auto scaling = loss_scaling(adam, {.interval = 3});
        auto region = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            model.cleargrads();
            adam.backward(loss);
            adam.update();
            return loss;
        });
        for (int i = 0; i < 14; ++i) {
            side.call(i);
            Variable x = batch(i, 2, 3);
            if (i == 5 || i == 9) x = x * std::numeric_limits<double>::infinity();
            region(x);
            for (const auto& [path, param] : model.namedparams()) side.saw(path, param->array());
            for (UpdateSlot& slot : adam.slots())
                for (const State& moment : slot.moments) side.saw(slot.path, moment.array());
            side.saw("scale", scaling->scale());
            side.saw("safe", scaling->is_safe_to_update());
            side.saw("t", adam.t());
            ASSERT_EQ(scaling->is_safe_to_update(), i != 5 && i != 9) << i;
        }
        region.expect_programs(1, 2);
    });
}

TEST(LossScaling, works_after_another_setup_in_a_region) {
    expect_same([&](Side& side) {
        Mlp model;
        SGD sgd(0.01);
        sgd.setup(model);
        auto scaling = loss_scaling(sgd);
        auto region = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            model.cleargrads();
            sgd.backward(loss);
            sgd.update();
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            if (i == 3) sgd.setup(model);
            region(i == 5 ? batch(i, 2, 3) * std::numeric_limits<double>::infinity()
                          : batch(i, 2, 3));
            for (const auto& [path, param] : model.namedparams()) side.saw(path, param->array());
        }
    });
}

TEST(LossScaling, keeps_small_gradients_of_float16) {
    for (const bool scaled : {false, true}) {
        Weight model;
        SGD sgd(1e6);
        sgd.setup(model);
        if (scaled) loss_scaling(sgd, {.initial = 1024});
        const Variable x(Array::from(std::vector<float>{1, 1, 1}, {1, 3}), false);
        sgd.update([&] {
            const auto scope = autocast(Dtype::float16);
            return sum(matmul(x, reshape(model.W, {3, 1}))) * 1e-9;
        });
        EXPECT_EQ(model.W.array().to_vector<float>()[0] < 1, scaled);  // 1e-9 is 0 in float16.
    }
}

TEST(LossScaling, is_saved_and_loaded) {
    const std::string path = ::testing::TempDir() + "loss_scaling.npz";
    Weight model;
    SGD sgd(0);
    sgd.setup(model);
    auto first = loss_scaling(sgd), second = loss_scaling(sgd);
    for (int i = 0; i < 5; ++i) step(model, sgd, 0);
    save_npz(path, *first);
    load_npz(path, *second);
    EXPECT_EQ(second->scale(), first->scale());
}

TEST(LossScaling, is_a_part_of_the_optimizers_file_which_older_ones_lack) {
    const std::string path = ::testing::TempDir() + "loss_scaling_of_an_optimizer.npz",
                      older = path + ".older";
    Weight model, another;
    SGD sgd(0), other(0);
    sgd.setup(model);
    save_npz(older, sgd);
    auto first = loss_scaling(sgd, {.interval = 2});
    for (int i = 0; i < 5; ++i) step(model, sgd, 0);
    step(model, sgd, std::numeric_limits<float>::infinity());
    save_npz(path, sgd);
    other.setup(another);
    auto second = loss_scaling(other, {.interval = 2});
    load_npz(path, other);
    EXPECT_EQ(second->scale(), 16);
    step(model, sgd, 0);
    step(another, other, 0);
    EXPECT_EQ(second->scale(), first->scale());  // It was too large once, so both grow slowly.
    EXPECT_NEAR(second->scale(), 16 * std::sqrt(2), 1e-4);
    load_npz(older, other);
    EXPECT_EQ(second->scale(), first->scale());
}

TEST(LossScaling, a_bad_update_calls_the_hooks_as_in_a_region) {
    std::vector<std::vector<float>> results;
    for (const bool compiled : {false, true}) {
        const auto use = using_config(&Config::use_static_graph, compiled);
        set_seed(1);
        Weight model;
        MomentumSGD sgd(0.1);
        sgd.setup(model);
        sgd.add_hook(GradientNoise(0.01));
        auto scaling = loss_scaling(sgd, {.initial = 1024});
        auto region = static_graph(
            [&](const Variable& x) { sgd.update([&] { return sum(model.W * x); }); }, "step");
        for (const float x : {1.0f, std::numeric_limits<float>::infinity(), 1.0f})
            region(constant(x));
        EXPECT_NEAR(scaling->scale(), 1024 * std::pow(2, 1e-3),
                    1e-3);  // Doubled, halved, then slowly.
        results.push_back(model.W.array().to_vector<float>());
    }
    for (size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(results[0][i], results[1][i], 1e-6);  // The second bad draw is the same.
}

TEST(LossScaling, says_what_is_wrong) {
    Weight model;
    SGD sgd(0);
    EXPECT_THROW(loss_scaling(sgd), ValueError);
    sgd.setup(model);
    EXPECT_THROW(loss_scaling(sgd, {.interval = 0}), ValueError);
    EXPECT_THROW(loss_scaling(sgd, {.initial = 0}), ValueError);
    loss_scaling(sgd);
    EXPECT_THROW(sgd.backward(model.W * 2.0), ValueError);
}

}  // namespace
}  // namespace catena::testing
