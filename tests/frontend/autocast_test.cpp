#include "runtime/graph/settings/autocast.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benchmarks/models/gpt.h"
#include "benchmarks/models/lenet.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

Variable numbers(const Shape& shape, int seed, Dtype dtype = Dtype::float32) {
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.7 * double(i) + 3.1 * seed);
    return Variable(Array::from(values, shape).astype(dtype));
}

TEST(Autocast, products_and_convolutions_are_narrow_and_sums_and_losses_are_not) {
    const Variable x = numbers({2, 3}, 1), W = numbers({4, 3}, 2), b = numbers({4}, 3);
    const Variable image = numbers({1, 2, 5, 5}, 4), filter = numbers({3, 2, 3, 3}, 5);
    const auto scope = autocast();
    const Variable y = linear(x, W, b);
    EXPECT_EQ(y.dtype(), Dtype::bfloat16);
    EXPECT_EQ(matmul(x, W, false, true).dtype(), Dtype::bfloat16);
    EXPECT_EQ(convolution_2d(image, filter).dtype(), Dtype::bfloat16);
    EXPECT_EQ(relu(y).dtype(), Dtype::bfloat16);
    EXPECT_EQ((y + b).dtype(), Dtype::float32);
    EXPECT_EQ(softmax(y).dtype(), Dtype::float32);
    EXPECT_EQ(sum(y).dtype(), Dtype::float32);
    EXPECT_EQ(mean(y).dtype(), Dtype::float32);
    EXPECT_EQ(softmax_cross_entropy(y, labels(1, 2, 4)).dtype(), Dtype::float32);
    EXPECT_EQ(
        sigmoid_cross_entropy(y, Variable(Array::zeros({Dtype::int32, {2, 4}}), false)).dtype(),
        Dtype::float32);
    EXPECT_EQ(mean_squared_error(y, numbers({2, 4}, 6)).dtype(), Dtype::float32);
    EXPECT_EQ(concat({y, numbers({2, 4}, 7)}, 0).dtype(), Dtype::float32);
}

/// Losses that several ops make, of scores x [3,4] beside float32 arrays.
struct LossCase {
    const char* name;
    std::function<Variable(const Variable&)> loss;
};
std::vector<LossCase> losses_of_several_ops() {
    const Variable o = numbers({3, 4}, 2), W = numbers({6, 4}, 3), cost = numbers({4, 4}, 4);
    const Variable t = labels(1, 3, 4), samples = labels(2, 6, 6), same = labels(3, 3, 2);
    const auto paths = std::make_shared<TreePaths>(
        create_huffman_tree({{0, 3}, {1, 2}, {2, 4}, {3, 1}, {4, 5}, {5, 2}, {6, 1}}));
    return {
        {"contrastive", [=](const Variable& x) { return contrastive(x, o, same); }},
        {"triplet", [=](const Variable& x) { return triplet(o, x, o * 2.0); }},
        {"hinge", [=](const Variable& x) { return hinge(x, t); }},
        {"cross_covariance", [=](const Variable& x) { return cross_covariance(x, o); }},
        {"decov", [=](const Variable& x) { return decov(x); }},
        {"gaussian_nll", [=](const Variable& x) { return gaussian_nll(o, x, o); }},
        {"bernoulli_nll", [=](const Variable& x) { return bernoulli_nll(sigmoid(o), x); }},
        {"negative_sampling",
         [=](const Variable& x) { return negative_sampling(x, t, W, reshape(samples, {3, 2})); }},
        {"black_out",
         [=](const Variable& x) { return black_out(x, t, W, reshape(samples, {3, 2})); }},
        {"crf1d",
         [=](const Variable& x) {
             return crf1d(cost, std::vector<Variable>{x, o}, std::vector<Variable>{t, t});
         }},
        {"binary_hierarchical_softmax",
         [=](const Variable& x) { return binary_hierarchical_softmax(x, t, W, *paths); }},
    };
}

TEST(Autocast, losses_of_several_ops_are_float32_throughout) {
    for (const LossCase& c : losses_of_several_ops()) {
        const Variable narrow = numbers({3, 4}, 1, Dtype::bfloat16),
                       x(narrow.array().astype(Dtype::float32));
        Variable y;
        {
            const auto scope = autocast();
            y = c.loss(narrow);
        }
        const Variable expected = c.loss(x);
        EXPECT_EQ(y.dtype(), Dtype::float32) << c.name;
        EXPECT_EQ(y.array().to_vector<float>(), expected.array().to_vector<float>()) << c.name;
        y.backward();
        expected.backward();
        EXPECT_EQ(narrow.grad().to_vector<float>(),
                  x.grad().astype(Dtype::bfloat16).to_vector<float>())
            << c.name;
    }
}

TEST(Autocast, arrays_of_two_dtypes_meet_in_float32) {
    const Variable narrow = numbers({3, 4}, 1, Dtype::bfloat16), wide = numbers({3, 4}, 2);
    const auto scope = autocast();
    EXPECT_EQ(zoneout(narrow, wide, 0.5).dtype(), Dtype::float32);
    EXPECT_EQ(scatter_add(wide, {Index(0)}, narrow[0]).dtype(), Dtype::float32);
    EXPECT_EQ(scatter_add(narrow, {Index(0)}, wide[0]).dtype(), Dtype::float32);
    EXPECT_EQ(scatter_add(narrow, {Index(0)}, narrow[0]).dtype(), Dtype::bfloat16);
    EXPECT_EQ(tree_lstm(std::vector<Variable>{wide}, concat({narrow, narrow, narrow, narrow}, 1))
                  .h.dtype(),
              Dtype::float32);
    StatefulZoneoutLSTM lstm(4, 5, 0.1, 0.1);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(lstm(narrow).shape(), (Shape{3, 5}));
    const Variable image = numbers({1, 2, 5, 5}, 4);
    EXPECT_EQ(Deconvolution2D(2, 3, 3)(image).dtype(), Dtype::bfloat16);
}

TEST(Autocast, float64_and_integers_stay_and_so_does_all_outside) {
    const Variable x = numbers({2, 3}, 1), wide = numbers({3, 2}, 2, Dtype::float64);
    {
        const auto scope = autocast(Dtype::float16);
        EXPECT_EQ(matmul(x, wide).dtype(), Dtype::float64);
        EXPECT_EQ(matmul(x, x, false, true).dtype(), Dtype::float16);
        const auto none = autocast(Dtype::float32);
        EXPECT_EQ(matmul(x, x, false, true).dtype(), Dtype::float32);
    }
    EXPECT_EQ(matmul(x, x, false, true).dtype(), Dtype::float32);
    EXPECT_THROW(autocast(Dtype::float64), ValueError);
    EXPECT_THROW(autocast(Dtype::int32), ValueError);
}

TEST(Autocast, values_are_those_of_rounded_operands_and_gradients_come_as_float32) {
    const Variable x = numbers({5, 40}, 1), W = numbers({7, 40}, 2), b = numbers({7}, 3);
    Variable y;
    {
        const auto scope = autocast();
        y = linear(x, W, b);
    }
    const auto narrow = [](const Variable& v) {
        return v.array().astype(Dtype::bfloat16).astype(Dtype::float64);
    };
    const Variable exact = linear(narrow(x), narrow(W), narrow(b));
    const std::vector<double> got = y.array().to_vector<double>(),
                              want = exact.array().to_vector<double>();
    for (size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], want[i], 0x1p-8 * std::abs(want[i]) + 1e-4);
    sum(y).backward();
    EXPECT_EQ(W.grad().dtype(), Dtype::float32);
    EXPECT_EQ(x.grad().dtype(), Dtype::float32);
    EXPECT_EQ(W.dtype(), Dtype::float32);
}

TEST(Autocast, the_gradient_is_the_same_wherever_backward_stands) {
    std::vector<float> inside, outside;
    for (const bool within : {true, false}) {
        models::LeNet model;
        for (Parameter* p : model.params()) p->initialize(p->shape());
        int seed = 0;
        for (Parameter* p : model.params()) p->set_array(numbers(p->shape(), ++seed).array());
        Variable loss;
        {
            const auto scope = autocast();
            loss =
                softmax_cross_entropy(model(numbers({2, 1, 28, 28}, 9)) * 1e-2, labels(0, 2, 10));
            if (within) loss.backward();
        }
        if (!within) loss.backward();
        (within ? inside : outside) = model.l3.W.grad().to_vector<float>();
    }
    EXPECT_EQ(inside, outside);
}

using Losses = std::vector<double>;

Losses train(const std::function<Variable(int)>& step, int count) {
    Losses losses;
    for (int i = 0; i < count; ++i) losses.push_back(step(i).array().item<double>());
    return losses;
}

Losses lenet_losses(Dtype dtype, bool compiled) {
    set_seed(4);
    models::LeNet model;
    MomentumSGD sgd(0.003, 0.9);
    sgd.setup(model);
    const Variable x(numbers({16, 1, 28, 28}, 1).array(), false), t = labels(1, 16, 10);
    const auto body = [&](const Variable& x) {
        const auto scope = autocast(dtype);
        const Variable loss = softmax_cross_entropy(model(x), t);
        learn(model, sgd, loss);
        return loss;
    };
    if (!compiled) return train([&](int) { return body(x); }, 30);
    auto region = static_graph(body, {.name = "lenet_step"});
    return train([&](int) { return region(x); }, 30);
}

Losses gpt_losses(Dtype dtype, bool compiled) {
    set_seed(4);
    models::Gpt model({.words = 50, .positions = 16, .width = 32, .heads = 4, .blocks = 2});
    Adam adam(0.003);
    adam.setup(model);
    const Variable words = reshape(labels(1, 64, 50), {4, 16}), next = labels(2, 64, 50);
    const auto body = [&](const Variable& words) {
        const auto scope = autocast(dtype);
        const Variable loss = softmax_cross_entropy(reshape(model(words), {64, 50}), next);
        learn(model, adam, loss);
        return loss;
    };
    if (!compiled) return train([&](int) { return body(words); }, 30);
    auto region = static_graph(body, {.name = "gpt_step"});
    return train([&](int) { return region(words); }, 30);
}

void expect_follows(const Losses& narrow, const Losses& wide, double noise,
                    const std::string& what) {
    EXPECT_LT(wide.back(), 0.6 * wide.front()) << what << " does not learn";
    for (size_t i = 0; i < wide.size(); ++i)
        EXPECT_NEAR(narrow[i], wide[i], noise * wide.front()) << what << " step " << i;
    EXPECT_NE(narrow, wide) << what << " was not rounded at all";
}

TEST(Autocast, a_convolutional_network_learns_as_in_float32) {
    const Losses wide = lenet_losses(Dtype::float32, false);
    for (const Dtype dtype : {Dtype::bfloat16, Dtype::float16})
        for (const bool compiled : {false, true})
            expect_follows(lenet_losses(dtype, compiled), wide,
                           dtype == Dtype::bfloat16 ? 0.05 : 0.02,
                           std::string(name_of(dtype)) + (compiled ? " compiled" : " eager"));
}

TEST(Autocast, a_transformer_learns_as_in_float32) {
    const Losses wide = gpt_losses(Dtype::float32, false);
    for (const Dtype dtype : {Dtype::bfloat16, Dtype::float16})
        for (const bool compiled : {false, true})
            expect_follows(gpt_losses(dtype, compiled), wide,
                           dtype == Dtype::bfloat16 ? 0.05 : 0.02,
                           std::string(name_of(dtype)) + (compiled ? " compiled" : " eager"));
}

TEST(Autocast, a_region_follows_the_scope_around_it) {
    const Variable W = numbers({4, 3}, 2);
    auto region = static_graph([&](const Variable& x) { return linear(x, W, Variable()); },
                               {.name = "scoped"});
    for (int i = 0; i < 6; ++i) {
        const auto scope = autocast(i % 2 ? Dtype::bfloat16 : Dtype::float32);
        EXPECT_EQ(region(numbers({2, 3}, i)).dtype(), i % 2 ? Dtype::bfloat16 : Dtype::float32);
    }
}

TEST(Autocast, a_recurrent_network_keeps_its_state_in_float32) {
    set_seed(3);
    RecurrentNet model;
    SGD sgd(0.1);
    sgd.setup(model);
    const auto scope = autocast();
    for (int i = 0; i < 3; ++i) learn(model, sgd, mean(square(model(batch(i, 2, 3)))));
    EXPECT_EQ(model.lstm.c().dtype(), Dtype::float32);
}

}  // namespace
}  // namespace catena::testing
