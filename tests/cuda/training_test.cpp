// Training on a device that is emulated, against the host: eager first steps, compiled later ones,
// states that stay there.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benchmarks/models/gpt_block.h"
#include "benchmarks/models/resnet50.h"
#include "frontend/catena.h"
#include "tests/cuda/emulated_device.h"
#include "tests/support/environment.h"

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
    std::string device, explained;
    int compiled = 0;
};

/// Classifies a picture of waves.
struct Training {
    Training(Device& device, int seed) : device(device) {
        set_seed(seed);
        net = std::make_shared<Net>();
        net->to_device(device);
        optimizer.setup(*net);
        for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = float(std::sin(double(i) * 0.7));
    }
    Variable images() const {
        return Variable(Array::from(pixels, {5, 1, 10, 10}).to(device), false);
    }
    Variable labels(int32_t fourth) const {
        return Variable(Array::from<int32_t>({0, 2, 1, fourth, 0}).to(device), false);
    }

    Device& device;
    std::shared_ptr<Net> net;
    MomentumSGD optimizer{0.1};
    std::vector<float> pixels = std::vector<float>(5 * 10 * 10);
    StaticFunction<Variable(const Variable&, const Variable&)> step =
        static_graph([this](const Variable& x, const Variable& t) {
            net->lstm.reset_state();
            Variable loss = softmax_cross_entropy((*net)(x), t);
            net->cleargrads();
            loss.backward();
            optimizer.update();
            return loss;
        });
};

Result train(Device& device) {
    Training training(device, 3);
    const Net& net = *training.net;
    const Variable x = training.images(), t = training.labels(1);
    Result result;
    for (int i = 0; i < 4; ++i) result.losses.push_back(training.step(x, t).item<double>());
    result.weights = net.convolution.W.array().to_vector<double>();
    result.averages = net.normalization.avg_mean.array().to_vector<double>();
    result.device = net.out.W.device().name();
    result.compiled = int(training.step.statistics().compiled_calls);
    result.explained = training.step.explain();
    return result;
}

TEST(CudaTraining, statistics_begin_where_their_link_is_made) {
    Device& device = EmulatedDevice::instance();
    const DeviceScope scope(device);
    const BatchNormalization known(3);
    BatchNormalization from_input(Shape{}, {.axis = {0}});
    const auto test_mode = using_config(&Config::train, false);
    from_input(Variable(Array::zeros({Dtype::float32, {2, 3}}), false));
    for (const BatchNormalization* link :
         {&known, static_cast<const BatchNormalization*>(&from_input)})
        for (const State* state :
             {static_cast<const State*>(&link->gamma), &link->avg_mean, &link->avg_var, &link->N})
            EXPECT_EQ(&state->device(), &device);
}

TEST(CudaTraining, costs_of_launches_are_told_by_the_bytes_they_move) {
    Device& device = EmulatedDevice::instance();
    const DeviceScope scope(device);
    auto f = static_graph([](const Variable& x) { return exp(x) * 2.0; }, "on_device");
    f(Variable(Array::zeros({Dtype::float32, {6, 8}}), false));
    const RegionProfile profile = f.profile();
    EXPECT_FALSE(profile.is_timed);
    ASSERT_EQ(profile.rows.size(), 1u);
    EXPECT_EQ(profile.rows[0].launch.name, "exp, multiply_scalar");
    EXPECT_EQ(profile.rows[0].launch.bytes_read, 4.0 * 6 * 8);
    EXPECT_EQ(profile.rows[0].launch.bytes_written, 4.0 * 6 * 8);
    EXPECT_THAT(f.explain(), ::testing::HasSubstr("what costs most, by the bytes moved (1 of 1"));
}

TEST(CudaTraining, a_region_of_many_sizes_is_called_with_the_other_precision) {
    Device& device = EmulatedDevice::instance();
    auto f = static_graph([](const Variable& x) { return matmul(x, x) * 2.0; });
    const auto of_size = [&](int64_t n) {
        return Variable(Array::full({Dtype::float32, {n, n}}, 0.5).to(device), false);
    };
    for (int64_t n = 1; n <= 12; ++n) f(of_size(n));
    const auto around = using_config(&Config::tf32, true);
    for (int64_t n = 1; n <= 12; ++n) EXPECT_NO_THROW(f(of_size(n))) << n;
}

TEST(CudaTraining, another_precision_holds_for_a_whole_call_of_a_region) {
    Device& device = EmulatedDevice::instance();
    bool inside = false;
    auto f = static_graph([&](const Variable& x) {
        const Variable y = matmul(x, x);
        const auto mode = using_config(&Config::tf32, config().tf32 || inside);
        Variable z = matmul(y, x);
        return z * 2.0;
    });
    const Variable host(Array::from(std::vector<float>(16, 0.5f), {4, 4}), false),
        x(host.array().to(device), false);
    for (int i = 0; i < 4; ++i) f(x);
    inside = true;
    try {
        f(x);
        ADD_FAILURE() << "compiled code would compute it without TF32";
    } catch (const ValueError& error) {
        EXPECT_THAT(
            error.what(),
            ::testing::HasSubstr(
                "matmul: the setting tf32 is true here and was false when the region was called"));
    }
    EXPECT_NO_THROW(f(host)) << "the host has no TF32";
    const auto around = using_config(&Config::tf32, true);
    EXPECT_NO_THROW(f(x));
}

TEST(CudaTraining, times_of_launches_are_told_where_they_were_profiled) {
    Device& device = EmulatedDevice::instance();
    const DeviceScope scope(device);
    auto f = static_graph(
        [](const Variable& x, const Variable& W) { return exp(matmul(x * 2.0, W)) * 2.0; },
        "on_device");
    const Variable x(Array::from(std::vector<float>(6 * 8, 0.5f), {6, 8}).to(device), false);
    const Variable W(Array::from(std::vector<float>(8 * 4, 0.25f), {8, 4}).to(device), false);
    f(x, W);
    const std::vector<double> expected = f(x, W).array().to_vector<double>();
    {
        const ProfileScope profiling;
        for (int i = 0; i < 3; ++i) EXPECT_EQ(f(x, W).array().to_vector<double>(), expected);
    }
    const RegionProfile profile = f.profile();
    EXPECT_TRUE(profile.is_timed);
    ASSERT_EQ(profile.rows.size(), 3u);
    for (const RegionProfile::Row& row : profile.rows) {
        EXPECT_EQ(row.launch.device, "emulated");
        EXPECT_EQ(row.launch.calls, 3);
        EXPECT_GT(row.milliseconds(), 0);
    }
    EXPECT_THAT(f.explain(), ::testing::HasSubstr("what costs most"));
    EXPECT_EQ(f(x, W).array().to_vector<double>(), expected);
    EXPECT_EQ(f.profile().rows[0].launch.calls, 3) << "the profile has ended";
}

/// Of new arrays and at another rate in every step.
std::vector<double> losses_of(Device& device, int steps) {
    Training training(device, 5);
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) {
        training.optimizer.lr = 0.1 / (i + 1);
        losses.push_back(training.step(training.images(), training.labels(i % 3)).item<double>());
    }
    return losses;
}

TEST(CudaTraining, of_recorded_work_is_that_of_the_host) {
    EmulatedDevice& device = EmulatedDevice::instance();
    const int64_t replays = device.replays();
    const std::vector<double> losses = losses_of(device, 40);
    EXPECT_GE(device.replays(), replays + 10) << "addresses repeat";
    EXPECT_THAT(losses,
                ::testing::Pointwise(::testing::DoubleNear(2e-4), losses_of(cpu_device(), 40)));
    const test::EnvironmentScope off("CATENA_CUDA_GRAPHS", "0");
    const int64_t before = device.replays();
    EXPECT_EQ(losses_of(device, 40), losses) << "bit for bit";
    EXPECT_EQ(device.replays(), before);
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

TEST(CudaTraining, is_that_of_the_host_with_channels_last) {
    const Result host = train(cpu_device());
    const test::EnvironmentScope order("CATENA_CUDA_CHANNELS_LAST", "always");
    const Result device = train(EmulatedDevice::instance());
    using ::testing::DoubleNear;
    using ::testing::Pointwise;
    EXPECT_THAT(device.explained, ::testing::HasSubstr("stored with the channels last"));
    EXPECT_THAT(device.losses, Pointwise(DoubleNear(1e-4), host.losses));
    EXPECT_THAT(device.weights, Pointwise(DoubleNear(1e-4), host.weights));
    EXPECT_THAT(device.averages, Pointwise(DoubleNear(1e-4), host.averages));
}

/// Losses of two steps of a model that is made where new arrays are.
template <class Model>
std::vector<double> losses_of(Device& device, const Shape& shape,
                              const std::function<Model()>& make) {
    set_seed(5);
    // Normalized over a few values each, small images make much of rounding.
    const auto wide = using_config(&Config::dtype, Dtype::float64);
    const DeviceScope scope(device);
    Model model = make();
    for (const auto& [path, state] : model.namedpersistents())
        EXPECT_EQ(&state->device(), &device) << path;
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(double(i) * 0.3);
    const Variable x(Array::from(values, shape), false);
    MomentumSGD optimizer(0.01);
    optimizer.setup(model);
    std::vector<double> losses;
    for (int i = 0; i < 2; ++i) {
        const Variable loss = mean(square(model(x)));
        model.cleargrads();
        loss.backward();
        optimizer.update();
        losses.push_back(loss.item<double>());
    }
    return losses;
}

TEST(CudaTraining, of_models_that_are_made_on_the_device_is_that_of_the_host) {
    using ::testing::DoubleNear;
    using ::testing::Pointwise;
    const std::function resnet = [] { return models::ResNet50({.width = 2, .classes = 7}); };
    EXPECT_THAT(losses_of(EmulatedDevice::instance(), {3, 3, 32, 32}, resnet),
                Pointwise(DoubleNear(1e-5), losses_of(cpu_device(), {3, 3, 32, 32}, resnet)));
    const std::function block = [] { return models::CausalBlock(16, 2, 5); };
    EXPECT_THAT(losses_of(EmulatedDevice::instance(), {2, 5, 16}, block),
                Pointwise(DoubleNear(1e-6), losses_of(cpu_device(), {2, 5, 16}, block)));
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
