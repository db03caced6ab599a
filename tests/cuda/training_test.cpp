// Training on a device that is emulated, against the host: eager first steps, compiled later ones,
// states that stay there.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "tests/cuda/emulated_device.h"

namespace catena::testing {
namespace {

struct Net : Chain {
    Convolution2D convolution{1, 3, 3};
    BatchNormalization normalization{3};
    LSTM lstm{48, 4};
    Linear out{4, 3};
    Net() {
        add_children({{"convolution", convolution},
                      {"normalization", normalization},
                      {"lstm", lstm},
                      {"out", out}});
    }
    Variable operator()(const Variable& x) {
        Variable h = max_pooling_2d(relu(normalization(convolution(x))), {2});
        return out(dropout(lstm(reshape(h, Shape{x.shape()[0], 48})), 0.25));
    }
};

struct Result {
    std::vector<double> losses, weights, averages;
    std::string device;
    int compiled = 0;
};

Result train(Device& device) {
    set_seed(3);
    Net net;
    std::vector<float> pixels(5 * 10 * 10);
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = float(std::sin(double(i) * 0.7));
    const Array labels = Array::from<int32_t>({0, 2, 1, 1, 0});
    net.to_device(device);
    MomentumSGD optimizer(0.1);
    optimizer.setup(net);
    auto step = static_graph([&](const Variable& x, const Variable& t) {
        net.lstm.reset_state();
        Variable loss = softmax_cross_entropy(net(x), t);
        net.cleargrads();
        loss.backward();
        optimizer.update();
        return loss;
    });
    const Variable x(Array::from(pixels, {5, 1, 10, 10}).to(device), false),
        t(labels.to(device), false);
    Result result;
    for (int i = 0; i < 4; ++i) result.losses.push_back(step(x, t).item<double>());
    result.weights = net.convolution.W.array().to_vector<double>();
    result.averages = net.normalization.avg_mean.array().to_vector<double>();
    result.device = net.out.W.device().name();
    result.compiled = int(step.statistics().compiled_calls);
    return result;
}

TEST(CudaTraining, statistics_begin_where_their_link_is_made) {
    Device& device = EmulatedDevice::instance();
    const DeviceScope scope(device);
    const BatchNormalization known(3);
    BatchNormalization from_input(Shape{}, {.axis = {0}});
    const auto test_mode = using_config(&Config::train, false);
    from_input(Variable(Array::zeros({Dtype::float32, {2, 3}}), false));
    for (const BatchNormalization* link : {&known, static_cast<const BatchNormalization*>(&from_input)})
        for (const State* state : {static_cast<const State*>(&link->gamma), &link->avg_mean, &link->avg_var, &link->N})
            EXPECT_EQ(&state->device(), &device);
}

TEST(CudaTraining, is_that_of_the_host) {
    const Result host = train(cpu_device()), device = train(EmulatedDevice::instance());
    EXPECT_EQ(device.device, "emulated");
    EXPECT_GE(device.compiled, 2);
    using ::testing::DoubleNear;
    using ::testing::Pointwise;
    EXPECT_THAT(device.losses, Pointwise(DoubleNear(1e-4), host.losses));
    EXPECT_THAT(device.weights, Pointwise(DoubleNear(1e-4), host.weights));
    EXPECT_THAT(device.averages, Pointwise(DoubleNear(1e-4), host.averages));
    EXPECT_LT(device.losses.back(), device.losses.front());
}

TEST(CudaTraining, inputs_of_another_device_are_refused_by_both_names) {
    const Variable x(Array::from<float>({1, 2}).to(EmulatedDevice::instance()), false),
        y(Array::from<float>({1, 2}), false);
    try {
        x + y;
        FAIL() << "nothing was thrown";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("emulated"),
                                                   ::testing::HasSubstr("cpu")));
    }
}

}  // namespace
}  // namespace catena::testing
