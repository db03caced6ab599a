#include <gtest/gtest.h>

#include "runtime/core/parallel/parallel.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/noise/dropconnect.h"
#include "runtime/ops/noise/noise.h"
#include "runtime/ops/noise/random.h"
#include "runtime/ops/noise/randomized.h"
#include "runtime/ops/normalization/normalization.h"

namespace catena {
namespace {

Variable state(std::vector<double> values) {
    return Variable(Array::from(values, {int64_t(values.size())}), false);
}

TEST(batch_normalization, running_statistics_move_towards_the_unbiased_ones_of_the_batch) {
    const Variable x(Array::from(std::vector<double>{1, 10, 3, 20, 5, 60}, {3, 2}));
    const Variable one(Array::full({Dtype::float64, {2}}, 1)),
        zero(Array::zeros({Dtype::float64, {2}}));
    const Variable mean = state({1, 2}), var = state({4, 8});
    const Array before = mean.array();
    batch_normalization(x, one, zero, {.running_mean = mean, .running_var = var, .decay = 0.75});
    EXPECT_EQ(mean.array().to_vector<double>(), (std::vector<double>{1.5, 9}));
    EXPECT_EQ(var.array().to_vector<double>(), (std::vector<double>{4, 181}));
    EXPECT_EQ(before.to_vector<double>(), (std::vector<double>{1, 2}));
}

TEST(batch_renormalization, updates_running_statistics_when_asked) {
    const Variable x(Array::from(std::vector<double>{1, 10, 3, 20, 5, 60}, {3, 2}));
    const Variable one(Array::full({Dtype::float64, {2}}, 1)),
        zero(Array::zeros({Dtype::float64, {2}}));
    const Variable mean = state({1, 2}), var = state({4, 8});
    batch_renormalization(x, one, zero, 1.5, 0.5, mean, var);
    EXPECT_EQ(mean.array().to_vector<double>(), (std::vector<double>{1, 2}));
    const Variable y = batch_renormalization(x, one, zero, 1.5, 0.5, mean, var,
                                             {.decay = 0.75, .update_statistics = true});
    EXPECT_EQ(mean.array().to_vector<double>(), (std::vector<double>{1.5, 9}));
    EXPECT_EQ(var.array().to_vector<double>(), (std::vector<double>{4, 181}));
    // With the running statistics from before the update: r is std / 2, d is (3 - 1) / 2, held at
    // 0.5.
    EXPECT_NEAR(y.array().to_vector<double>()[0], (1 - 3) / 2.0 + 0.5, 1e-4);
}

TEST(rrelu, has_the_mean_slope_outside_training) {
    const auto mode = using_config(&Config::train, false);
    const Variable x(Array::from(std::vector<double>{-8, 0, 3}, {3}));
    EXPECT_EQ(rrelu(x, 0.25, 0.5).array().to_vector<double>(), (std::vector<double>{-3, 0, 3}));
}

TEST(zoneout, gives_the_new_state_outside_training) {
    const auto mode = using_config(&Config::train, false);
    const Variable h(Array::full({Dtype::float32, {5}}, 1)),
        x(Array::full({Dtype::float32, {5}}, 2));
    EXPECT_EQ(zoneout(h, x).body(), x.body());
}

TEST(dropout, is_the_identity_outside_training) {
    const auto mode = using_config(&Config::train, false);
    const Variable x(Array::full({Dtype::float32, {5}}, 2));
    EXPECT_EQ(dropout(x).body(), x.body());
}

TEST(dropout, draws_the_same_bits_on_any_number_of_threads) {
    const Variable x(Array::full({Dtype::float32, {100'003}}, 1));
    const int threads = thread_count();
    std::vector<std::vector<float>> results;
    for (int count : {1, 2, 5}) {
        set_thread_count(count);
        set_seed(11);
        results.push_back(dropout(x, 0.3).array().to_vector<float>());
    }
    set_thread_count(threads);
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
}

TEST(dropout, its_gradient_has_the_mask_of_the_forward_pass) {
    const Variable x(Array::full({Dtype::float32, {1000}}, 1));
    const Variable y = dropout(x, 0.5);
    dropout(x, 0.5);  // Others may draw in between.
    y.set_grad(Array::full(y.type(), 1));
    y.backward();
    EXPECT_EQ(x.grad().to_vector<float>(), y.array().to_vector<float>());
}

TEST(layer_normalization, gradients_are_the_same_bits_on_any_number_of_threads) {
    set_seed(5);
    const Array x = random_normal({1000, 64}).array(), gy = random_normal({1000, 64}).array();
    const int threads = thread_count();
    std::vector<std::vector<float>> results;
    for (int count : {1, 2, 3}) {
        set_thread_count(count);
        const Variable gamma(Array::full({Dtype::float32, {64}}, 1.5)),
            beta(Array::zeros({Dtype::float32, {64}}));
        const Variable y = layer_normalization(x, gamma, beta);
        y.set_grad(gy);
        y.backward();
        results.push_back(gamma.grad().to_vector<float>());
    }
    set_thread_count(threads);
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace catena
