// Models that move between devices around compiled steps.
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

TEST(CaptureDevices, a_model_moves_after_a_step_that_used_up_its_gradients) {
    expect_same([](Side& side) {
        Mlp model;
        MomentumSGD sgd(0.05);
        sgd.setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            learn(model, sgd, loss);
            return loss;
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 2, 3)));
            model.to_device("cpu");
            side.saw("model", model);
        }
        step.expect_programs(1);
    });
}

TEST(CaptureDevices, a_gradient_that_is_there_moves_with_its_parameter) {
    Mlp model;
    sum(model(batch(1, 2, 3))).backward();
    const std::vector<float> before = model.l1.W.grad().to_vector<float>();
    model.to_device("cpu");
    EXPECT_EQ(model.l1.W.grad().to_vector<float>(), before);
}

}  // namespace
}  // namespace catena::testing
