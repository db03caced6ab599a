// A graph that leads from one device to another and back.
#include "runtime/ops/array/copy_to_device.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "tests/cuda/emulated_device.h"

namespace catena::testing {
namespace {

Variable leaf() { return Variable(Array::from<float>({0.5f, -1.0f, 2.0f})); }

TEST(CopyToDevice, gradients_flow_back_to_the_first_device) {
    Device& device = EmulatedDevice::instance();
    const Variable x = leaf();
    const Variable there = copy(tanh(x), device);
    EXPECT_EQ(&there.device(), &device);
    const Variable loss = sum(copy(square(there), cpu_device()) * x);
    loss.backward();
    EXPECT_EQ(&x.grad().device(), &cpu_device());
    const Variable expected = leaf();
    sum(square(tanh(expected)) * expected).backward();
    EXPECT_THAT(
        x.grad().to_vector<float>(),
        ::testing::Pointwise(::testing::FloatNear(1e-6f), expected.grad().to_vector<float>()));
}

TEST(CopyToDevice, copyto_takes_elements_of_another_device) {
    Device& device = EmulatedDevice::instance();
    Array there = Array::from<float>({0, 0, 0}).to(device), here = Array::from<float>({0, 0, 0});
    copyto(there, leaf());
    EXPECT_EQ(&there.device(), &device);
    EXPECT_EQ(there.to(cpu_device()).to_vector<float>(), (std::vector<float>{0.5f, -1, 2}));
    copyto(here, there, Array::from<bool>({true, false, true}).to(device));
    EXPECT_EQ(&here.device(), &cpu_device());
    EXPECT_EQ(here.to_vector<float>(), (std::vector<float>{0.5f, 0, 2}));
}

TEST(CopyToDevice, backward_may_begin_and_end_on_another_device) {
    Device& device = EmulatedDevice::instance();
    const Variable x = leaf();
    sum(square(copy(x, device))).backward();
    EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{1, -2, 4}));
    const Variable y(Array::from<float>({3, 4}).to(device));
    sum(square(copy(y, cpu_device()))).backward();
    EXPECT_EQ(&y.grad().device(), &device);
    EXPECT_EQ(y.grad().to_vector<float>(), (std::vector<float>{6, 8}));
}

TEST(CopyToDevice, can_be_differentiated_twice) {
    Device& device = EmulatedDevice::instance();
    const Variable x = leaf();
    const Variable y = sum(copy(copy(x, device) * copy(x, device), cpu_device()) * x);
    const Variable gx = grad({y}, {x}, {}, {.enable_double_backprop = true})[0];
    sum(gx).backward();
    const std::vector<float> found = x.grad().to_vector<float>(), at = x.array().to_vector<float>();
    for (size_t i = 0; i < at.size(); ++i) EXPECT_NEAR(found[i], 6 * at[i], 1e-5);
}

TEST(CopyToDevice, works_in_a_static_region) {
    Device& device = EmulatedDevice::instance();
    Linear l1(3, 3), l2(3, 2);
    l2.to_device(device);
    auto step = static_graph([&](const Variable& x) {
        const Variable loss = sum(square(l2(copy(tanh(l1(x)), device))));
        l1.cleargrads(), l2.cleargrads();
        loss.backward();
        return loss;
    });
    for (int i = 0; i < 3; ++i) {
        const Variable x(Array::from<float>({0.1f * float(i), 0.2f, -0.3f}, {1, 3}), false);
        const float loss = step(x).item<float>();
        const std::vector<float> compiled = l1.W.grad().to_vector<float>();
        l1.cleargrads(), l2.cleargrads();
        const Variable plain = sum(square(l2(copy(tanh(l1(x)), device))));
        plain.backward();
        EXPECT_NEAR(loss, plain.item<float>(), 1e-5);
        EXPECT_THAT(compiled, ::testing::Pointwise(::testing::FloatNear(1e-5f),
                                                   l1.W.grad().to_vector<float>()))
            << i;
    }
}

TEST(CopyToDevice, serves_a_model_on_two_devices_that_an_updater_trains) {
    struct Net : Chain {
        Linear l1{3, 4}, l2{4, 2};
        Net() { add_children({{"l1", l1}, {"l2", l2}}); }
        Variable operator()(const Variable& x, const Variable& t) {
            EXPECT_EQ(&x.device(), &cpu_device());
            return mean(square(l2(copy(tanh(l1(x)), l2.device())) - copy(t, l2.device())));
        }
    };
    std::vector<double> losses;
    for (Device* device : {&cpu_device(), static_cast<Device*>(&EmulatedDevice::instance())}) {
        set_seed(4);
        Net net;
        net.l2.to_device(*device);
        SGD sgd(0.1);
        sgd.setup(net);
        std::vector<float> xs, ts;
        for (int i = 0; i < 24; ++i)
            xs.push_back(std::sin(float(i))), ts.push_back(std::cos(float(i)));
        SerialIterator batches(
            Dataset({Array::from(xs, {8, 3}),
                     Array::from(std::vector<float>(ts.begin(), ts.begin() + 16), {8, 2})}),
            4, {.shuffle = false});
        StandardUpdater updater(batches, sgd, net, {.input_device = &cpu_device()});
        for (int i = 0; i < 6; ++i) updater.update();
        EXPECT_EQ(sgd.epoch(), 3);
        EXPECT_EQ(&net.l2.W.grad().device(), device);
        losses.push_back(net.l1.W.array().to_vector<double>()[0]);
    }
    EXPECT_NEAR(losses[0], losses[1], 1e-6);
}

TEST(CopyToDevice, on_the_same_device_is_a_copy) {
    const Variable x = leaf(), y = copy(x, "cpu");
    EXPECT_NE(y.array().elements<float>(), x.array().elements<float>());
    sum(y).backward();
    EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{1, 1, 1}));
}

}  // namespace
}  // namespace catena::testing
