// Losses and probabilities of what is certain: 0 times infinity is no NaN.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/array/layout/from_lists.h"
#include "runtime/ops/loss/likelihood.h"
#include "runtime/ops/loss/loss.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/math/weighted.h"

namespace catena {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::FloatNear;

constexpr float inf = std::numeric_limits<float>::infinity();

std::vector<float> list(const Variable& x) { return x.array().to_vector<float>(); }
Variable leaf(std::initializer_list<float> values) { return Variable(array(values)); }

TEST(InfiniteLosses, a_class_without_probability_costs_nothing) {
    const Variable x(array({{1.0f, 2.0f, -inf}, {0.5f, -inf, 0.0f}}));
    const Array t = array({{0.25f, 0.75f, 0.0f}, {1.0f, 0.0f, 0.0f}});
    const double first = std::log(std::exp(1.0) + std::exp(2.0)),
                 second = std::log(std::exp(0.5) + 1.0);
    const double expected = (0.25 * (first - 1) + 0.75 * (first - 2) + (second - 0.5)) / 2;
    const Variable loss = softmax_cross_entropy(x, t);
    EXPECT_NEAR(loss.item<double>(), expected, 1e-6);
    const double entropy = 0.25 * std::log(0.25) + 0.75 * std::log(0.75);
    EXPECT_NEAR(softmax_cross_entropy(x, t, {.soft_target_loss = "kl-divergence"}).item<double>(),
                expected + entropy / 2, 1e-5);
    const auto gx = list(Variable(grad({loss}, {x})[0].array()));
    const double share = std::exp(1.0) / (std::exp(1.0) + std::exp(2.0));
    EXPECT_NEAR(gx[0], (share - 0.25) / 2, 1e-6);
    EXPECT_EQ(gx[2], 0);
    EXPECT_EQ(gx[4], 0);
}

TEST(InfiniteLosses, a_probability_for_what_cannot_be_costs_infinitely) {
    const Variable x(array({{1.0f, -inf}}));
    EXPECT_EQ(softmax_cross_entropy(x, array({{0.5f, 0.5f}})).item<float>(), inf);
}

TEST(InfiniteLosses, a_label_of_weight_0_costs_nothing) {
    const Variable x(array({{1.0f, -inf}, {1.0f, 2.0f}}));
    const Array t = array({1, 0});
    const Variable weight = Variable(array({1.0f, 0.0f}), false);
    const auto each = list(softmax_cross_entropy(x, t, {.class_weight = weight, .reduce = "no"}));
    EXPECT_THAT(each, ElementsAre(0, FloatNear(float(std::log1p(std::exp(1.0))), 1e-6f)));
}

TEST(InfiniteLosses, an_infinite_logit_of_the_right_sign_costs_nothing) {
    const Variable x = leaf({inf, -inf, inf, -inf, 0.0f});
    const Array t = array({1, 0, 0, 1, 1});
    EXPECT_THAT(list(sigmoid_cross_entropy(x, t, true, "no")),
                ElementsAre(0, 0, inf, inf, FloatNear(float(std::log(2.0)), 1e-6f)));
    EXPECT_THAT(list(bernoulli_nll(Variable(t.astype(Dtype::float32), false), x, "no")),
                ElementsAre(0, 0, inf, inf, FloatNear(float(std::log(2.0)), 1e-6f)));
}

TEST(InfiniteLosses, the_mean_itself_is_likely_however_small_the_variance) {
    const Variable x = leaf({2.0f, 2.0f}), mean = leaf({2.0f, 3.0f}),
                   ln_var = leaf({-200.0f, 0.0f});
    const Variable loss = gaussian_nll(x, mean, ln_var, "no");
    const double constant = std::log(2 * M_PI) / 2;
    EXPECT_THAT(list(loss), ElementsAre(FloatNear(float(-100 + constant), 1e-4f),
                                        FloatNear(float(0.5 + constant), 1e-6f)));
    const auto g = grad({sum(loss)}, {x, mean, ln_var});
    EXPECT_THAT(list(g[0]), ElementsAre(0, -1));
    EXPECT_THAT(list(g[1]), ElementsAre(0, 1));
    EXPECT_THAT(list(g[2]), ElementsAre(0.5f, 0));
}

TEST(Weighted, has_no_part_of_what_has_no_weight) {
    const Variable p = leaf({0.0f, 0.0f, 0.5f, 1.0f}), v = leaf({inf, -inf, 4.0f, -inf});
    const Variable y = weighted(p, v);
    EXPECT_THAT(list(y), ElementsAre(0, 0, 2, -inf));
    const auto g = grad({sum(y)}, {p, v});
    EXPECT_THAT(list(g[0]), ElementsAre(0, 0, 4, -inf));
    EXPECT_THAT(list(g[1]), ElementsAre(0, 0, 0.5f, 1));
}

}  // namespace
}  // namespace catena
