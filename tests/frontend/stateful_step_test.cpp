#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"

namespace catena {
namespace {

/// Everything that changes from step to step: recurrent state, running statistics, moments, the
/// step count.
struct Net : Chain {
    LSTM lstm{3, 4};
    BatchNormalization bn{4};
    Linear out{std::nullopt, 2};
    Net() { add_children({{"lstm", lstm}, {"bn", bn}, {"out", out}}); }
    Variable operator()(const Variable& x) { return out(bn(lstm(x))); }
};

struct Result {
    std::vector<double> losses, averages, weights;
    int64_t t;
};

Variable batch(int number, int64_t rows) {
    std::vector<float> values(size_t(rows * 3));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = float(std::sin(double(i) + 3.0 * number));
    return Variable(Array::from(values, {rows, 3}), false);
}

Result train(bool compiled, const std::function<int64_t(int)>& rows_of_step) {
    set_seed(5);
    auto use = using_config(&Config::use_static_graph, compiled);
    Net net;
    Adam adam;
    adam.setup(net);
    adam.add_hook(WeightDecay(1e-3));
    adam.add_hook(GradientClipping(0.05));
    auto step = static_graph(
        [&](const Variable& x) {
            Variable loss = sum(net(x));
            for (int i = 0; i < 2; ++i) {
                Variable y = net(x);
                loss = loss + sum(y * y);
            }
            net.cleargrads();
            loss.backward();
            loss.unchain_backward();
            adam.update();
            return loss;
        },
        {.audit = Audit::always});  // The batch of a window says nothing of a reset before it.
    Result result;
    int64_t rows = rows_of_step(0);
    for (int i = 0; i < 8; ++i) {
        if (i == 5 || rows_of_step(i) != rows) net.lstm.reset_state();
        if (i == 6) adam.alpha = 0.01;
        rows = rows_of_step(i);
        result.losses.push_back(step(batch(i, rows)).item<double>());
    }
    result.averages = net.bn.avg_mean.array().to_vector<double>();
    result.weights = net.lstm.lateral.W.array().to_vector<double>();
    result.t = adam.t();
    return result;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, const char* what) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
        EXPECT_NEAR(a[i], b[i], 2e-4 * std::max(1.0, std::abs(a[i]))) << what << i;
}

void expect_equal_training(const std::function<int64_t(int)>& rows_of_step) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    Result eager = train(false, rows_of_step), compiled = train(true, rows_of_step);
    expect_near(eager.losses, compiled.losses, "loss ");
    expect_near(eager.averages, compiled.averages, "average ");
    expect_near(eager.weights, compiled.weights, "weight ");
    EXPECT_EQ(compiled.t, 8);
}

TEST(StatefulStep, compiled_training_carries_every_state_as_eager_does) {
    expect_equal_training([](int) { return 5; });
}

TEST(StatefulStep, windows_that_are_unchained_are_one_program_and_one_after_resets) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    Net net;
    SGD sgd(0.01);
    sgd.setup(net);
    auto window = static_graph(
        [&](const Variable& x) {
            Variable loss = sum(net(x)) + sum(net(x));
            net.cleargrads();
            loss.backward();
            loss.unchain_backward();
            sgd.update();
            return loss;
        },
        {.audit = Audit::always});
    for (int i = 0; i < 9; ++i) {
        if (i == 6) net.lstm.reset_state();
        window(batch(i, 4));
    }
    EXPECT_EQ(window.statistics().programs, 2) << window.explain();
}

TEST(StatefulStep, a_reset_recurrent_state_takes_another_batch_size_compiled_too) {
    expect_equal_training([](int i) { return i < 3 ? 5 : i < 6 ? 2 : 5; });
}

}  // namespace
}  // namespace catena
