// Samples of distributions, by their moments; what distributions reject; and what Chainer has no
// value for.
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "frontend/distribution/distributions.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/math/special.h"
#include "runtime/ops/noise/random.h"

namespace catena::testing {
namespace {

using namespace distributions;
using Values = std::vector<double>;

Variable of(const Values& values, bool requires_grad = false) {
    return Variable(Array::from(values, {int64_t(values.size())}), requires_grad);
}
Variable of(const Values& values, const Shape& shape) {
    return Variable(Array::from(values, shape), false);
}
Values list(const Variable& x) { return x.array().to_vector<double>(); }

constexpr int64_t draws_each = 40000;

/// The means of `drawn` [draws, ...] are within five standard errors of `expected`.
void expect_mean(const Variable& drawn, const Variable& expected) {
    const Values means = list(mean(cast(drawn, Dtype::float64), 0)),
                 spread = list(variance(cast(drawn, Dtype::float64), 0)), right = list(expected);
    ASSERT_EQ(means.size(), right.size());
    for (size_t i = 0; i < right.size(); ++i)
        EXPECT_NEAR(means[i], right[i], 5 * std::sqrt(spread[i] / double(draws_each)) + 1e-9)
            << "element " << i;
}

/// Samples have the mean and variance that the distribution tells, in its dtype.
void expect_moments(const Distribution& d) {
    SCOPED_TRACE(d.name());
    set_seed(7);
    const Variable x = cast(d.sample_n(draws_each), Dtype::float64);
    expect_mean(x, d.mean());
    expect_mean(square(x - d.mean()), d.variance());
}

TEST(Distribution, samples_have_its_mean_and_variance) {
    const Variable a = of({-1, 0.5, 3}), b = of({0.3, 1, 2.5}), p = of({0.1, 0.5, 0.9});
    const Variable rows = of({0.2, 0.3, 0.5, 0.7, 0.2, 0.1}, Shape{2, 3});
    expect_moments(Normal(a, b));
    expect_moments(Laplace(a, b));
    expect_moments(Gumbel(a, b));
    expect_moments(LogNormal(a, of({0.2, 0.4, 0.6})));
    expect_moments(Exponential(b));
    expect_moments(Gamma(of({0.2, 1, 7.5}), b));
    expect_moments(Chisquare(of({0.7, 2, 9})));
    expect_moments(Beta(b, of({2, 0.4, 3})));
    expect_moments(Dirichlet(of({0.5, 1, 2, 3, 0.2, 8}, Shape{2, 3})));
    expect_moments(Pareto(b, of({6, 7, 9})));
    expect_moments(Uniform(a, a + b));
    expect_moments(Bernoulli(p));
    expect_moments(OneHotCategorical(rows));
    expect_moments(Geometric(p));
    expect_moments(Poisson(of({0.02, 3, 9.9, 10.1, 47, 2000})));
}

TEST(Distribution, samples_in_narrow_floats_have_its_mean_too) {
    set_seed(3);
    for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
        const Variable k = cast(of({0.7, 2, 5}), dtype), theta = cast(of({1, 1, 1}), dtype);
        const Variable x = Gamma(k, theta).sample_n(draws_each);
        EXPECT_EQ(x.dtype(), dtype);
        const Values means = list(mean(cast(x, Dtype::float64), 0));
        for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(means[i], (Values{0.7, 2, 5})[i], 0.06);
        for (const double value : list(Gumbel(k, theta).sample_n(draws_each)))
            ASSERT_TRUE(std::isfinite(value));
    }
}

/// The cdf of a sample is uniform: as many in each tenth.
void expect_uniform(const Variable& u) {
    std::vector<int> tenths(10);
    for (const double value : list(u)) ++tenths.at(size_t(std::min(9.0, value * 10)));
    for (const int count : tenths)
        EXPECT_NEAR(count, double(u.size()) / 10, 5 * std::sqrt(double(u.size()) * 0.09));
}

TEST(Distribution, samples_follow_the_cdf) {
    set_seed(5);
    const Variable loc = of({-1}), scale = of({2});
    const Cauchy cauchy(loc, scale);
    expect_uniform(cauchy.cdf(cauchy.sample_n(draws_each)));
    const Laplace laplace(loc, scale);
    expect_uniform(laplace.cdf(laplace.sample_n(draws_each)));
    const Gumbel gumbel(loc, scale);
    expect_uniform(gumbel.cdf(gumbel.sample_n(draws_each)));
}

TEST(Gamma, samples_have_its_mean_logarithm) {
    set_seed(9);
    const Variable k = of({0.1, 0.9, 1, 4}), theta = of({1, 2, 1, 0.5});
    expect_mean(log(Gamma(k, theta).sample_n(draws_each)), digamma(k) + log(theta));
}

TEST(Poisson, samples_have_its_probabilities) {
    set_seed(11);
    for (const double lam : {4.0, 14.0}) {
        const Poisson d(of({lam}));
        const Variable x = d.sample_n(draws_each);
        for (int k = 0; k < 25; ++k) {
            const double p = list(d.prob(of({double(k)})))[0];
            EXPECT_NEAR(list(mean(cast(x == double(k), Dtype::float64)))[0], p,
                        5 * std::sqrt(p / draws_each) + 1e-4)
                << k;
        }
    }
}

TEST(Categorical, draws_each_class_with_its_probability) {
    set_seed(13);
    const Categorical d(of({0.2, 0.3, 0.5, 1, 0, 0}, Shape{2, 3}));
    const Variable x = d.sample_n(draws_each);
    EXPECT_EQ(x.shape(), (Shape{draws_each, 2}));
    EXPECT_EQ(x.dtype(), Dtype::int64);
    for (int k = 0; k < 3; ++k) {
        const Values share = list(mean(cast(x == k, Dtype::float64), 0));
        EXPECT_NEAR(share[0], (Values{0.2, 0.3, 0.5})[size_t(k)], 0.013);
        EXPECT_EQ(share[1], k == 0 ? 1 : 0);
    }
}

TEST(MultivariateNormal, samples_have_its_covariance) {
    set_seed(15);
    const Variable loc = of({1, -2}), L = of({2, 0, 1.5, 0.5}, Shape{2, 2});
    const MultivariateNormal d(loc, L);
    const Variable x = d.sample_n(draws_each) - loc;
    const Values expected = list(d.covariance());
    EXPECT_EQ(expected, (Values{4, 3, 3, 2.5}));
    EXPECT_EQ(list(d.variance()), (Values{4, 2.5}));
    const Values found{list(mean(square(x[{ellipsis, 0}])))[0],
                       list(mean(x[{ellipsis, 0}] * x[{ellipsis, 1}]))[0],
                       list(mean(square(x[{ellipsis, 1}])))[0]};
    EXPECT_NEAR(found[0], 4, 0.15);
    EXPECT_NEAR(found[1], 3, 0.15);
    EXPECT_NEAR(found[2], 2.5, 0.1);
}

TEST(Distribution, samples_have_the_shapes_of_sample_batch_and_event) {
    const Variable loc = of({0, 0, 0}), L = of({1, 0, 0, 0, 1, 0, 0, 0, 1}, Shape{3, 3});
    EXPECT_EQ(MultivariateNormal(loc, L).sample({4, 5}).shape(), (Shape{4, 5, 3}));
    EXPECT_EQ(Normal(loc, loc + 1).sample().shape(), (Shape{3}));
    const Independent rows(Normal(of({0, 0, 0, 0}, Shape{2, 2}), of({1, 1})));
    EXPECT_EQ(rows.batch_shape(), (Shape{2}));
    EXPECT_EQ(rows.event_shape(), (Shape{2}));
    EXPECT_EQ(rows.sample({7}).shape(), (Shape{7, 2, 2}));
    EXPECT_EQ(rows.log_prob(rows.sample({7})).shape(), (Shape{7, 2}));
}

TEST(Distribution, samples_are_differentiable_where_it_says_so) {
    const Variable loc = of({1, 2}, true), scale = of({0.5, 3}, true), k = of({2, 3}, true);
    set_seed(1);
    const Variable x = Normal(loc, scale).sample();
    const Variables gx = grad({sum(x)}, {loc, scale});
    EXPECT_EQ(list(gx[0]), (Values{1, 1}));
    const Values z = list((x - loc) / scale), g = list(gx[1]);
    for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(g[i], z[i], 1e-12);
    const Variable y = Gamma(k, scale).sample();
    const Variables gy = grad({sum(y)}, {k, scale});
    EXPECT_FALSE(gy[0].defined() && list(gy[0]) != Values({0, 0}));
    EXPECT_NEAR(list(gy[1])[0], list(y / scale)[0], 1e-12);
    EXPECT_FALSE(Bernoulli(1 / k).sample().requires_grad());
}

TEST(Distribution, regions_draw_the_same_samples) {
    const auto all = [](const Variable& x) {
        const Variable p = x / sum(x);
        return std::vector<Variable>{
            Normal(x, x).sample_n(3),   Gamma(x, x).sample_n(3), Poisson(x * 5).sample_n(3),
            Categorical(p).sample_n(3), Geometric(p).sample(),   Dirichlet(x).sample_n(2),
            Bernoulli(p).sample_n(4),   Gumbel(x, x).sample(),   Uniform(x, x + 1).sample()};
    };
    const Variable x = of({0.5, 1.5, 3});
    auto region = static_graph(all);
    set_seed(21);
    std::vector<std::vector<Variable>> eager;
    for (int i = 0; i < 3; ++i) eager.push_back(all(x));
    set_seed(21);
    for (int i = 0; i < 3; ++i) {
        const std::vector<Variable> compiled = region(x);
        for (size_t k = 0; k < compiled.size(); ++k) {
            const Values a = list(eager[size_t(i)][k]), b = list(compiled[k]);
            ASSERT_EQ(a.size(), b.size());
            for (size_t e = 0; e < a.size(); ++e)
                EXPECT_NEAR(a[e], b[e], 1e-12 * (1 + std::abs(a[e]))) << k << " in call " << i;
        }
    }
}

TEST(cross_entropy, is_entropy_and_divergence) {
    const Normal p(of({0}), of({1})), q(of({1}), of({2}));
    // -E[log q] = log(2 sqrt(2 pi)) + (1 + 1) / 8.
    EXPECT_NEAR(list(cross_entropy(p, q))[0], std::log(2 * std::sqrt(2 * M_PI)) + 0.25, 1e-12);
}

TEST(kl_divergence, is_that_of_the_two_classes) {
    const Normal p(of({0}), of({1}));
    const Laplace q(of({0}), of({1}));
    EXPECT_THROW(kl_divergence(p, q), ValueError);
    register_kl<Normal, Laplace>(
        [](const Normal& a, const Laplace& b) { return a.loc() + b.scale() * 5; });
    EXPECT_EQ(list(kl_divergence(p, q)), (Values{5}));
    EXPECT_EQ(list(kl_divergence(Uniform(of({0}), of({2})), Uniform(of({0}), of({1}))))[0],
              INFINITY);
}

TEST(Distribution, functions_that_chainer_lacks) {
    const Gumbel gumbel(of({1}), of({2}));
    EXPECT_NEAR(list(gumbel.icdf(gumbel.cdf(of({0.3}))))[0], 0.3, 1e-12);
    const Bernoulli coin(of({0.25}));
    EXPECT_NEAR(list(coin.perplexity(of({1})))[0], 4, 1e-12);
    const Independent pair(Normal(of({0, 0}, Shape{1, 2}), of({1, 3})));
    EXPECT_EQ(list(pair.covariance()), (Values{1, 0, 0, 9}));
    EXPECT_TRUE(std::isnan(list(Cauchy(of({0}), of({1})).mean())[0]));
}

TEST(Distribution, what_is_wrong_is_said) {
    const Variable x = of({1, 2}), integers = cast(x, Dtype::int32);
    const auto message = [](const auto& f) -> std::string {
        try {
            f();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message([&] {
                  Normal(x, integers);
              }).find("Normal: scale should be floating point, it is int32[2]"),
              std::string::npos);
    EXPECT_NE(message([&] { Normal(x, cast(x, Dtype::float32)); }).find("dtypes must be equal"),
              std::string::npos);
    EXPECT_NE(message([&] { Gamma(x, of({1, 2, 3})); }).find("Gamma: theta [3] does not broadcast"),
              std::string::npos);
    EXPECT_NE(message([&] {
                  Gamma(x, x).cdf(x);
              }).find("Gamma: its cdf is not defined or has no closed form"),
              std::string::npos);
    EXPECT_NE(message([&] {
                  Dirichlet(Variable(Array::scalar(1.0), false));
              }).find("Dirichlet: alpha is a scalar"),
              std::string::npos);
    EXPECT_NE(message([&] {
                  MultivariateNormal(x, x);
              }).find("MultivariateNormal: loc should be [...,d]"),
              std::string::npos);
    EXPECT_NE(message([&] {
                  Independent(Normal(x, x), 2);
              }).find("Independent: 2 of the axes of a batch [2]"),
              std::string::npos);
    EXPECT_NE(message([&] {
                  kl_divergence(Cauchy(x, x), Normal(x, x));
              }).find("kl_divergence: none is known of Normal from Cauchy"),
              std::string::npos);
}

TEST(Divergence, of_what_is_certain_is_no_nan) {
    const Categorical p(of({0, 0.5, 0.5}, Shape{3})), q(of({0.5, 0.25, 0.25}, Shape{3})),
        r(of({0, 0.25, 0.75}, Shape{3}));
    EXPECT_NEAR(kl_divergence(p, q).item<double>(), std::log(2.0), 1e-12);
    EXPECT_NEAR(kl_divergence(p, r).item<double>(),
                0.5 * std::log(2.0) + 0.5 * std::log(0.5 / 0.75), 1e-12);
    EXPECT_EQ(kl_divergence(q, p).item<double>(), INFINITY);
    const OneHotCategorical one_hot(of({0, 0.25, 0.75}, Shape{3}));
    EXPECT_NEAR(one_hot.log_prob(of({0, 1, 0}, Shape{3})).item<double>(), std::log(0.25), 1e-12);
    EXPECT_EQ(one_hot.log_prob(of({1, 0, 0}, Shape{3})).item<double>(), -INFINITY);
    const Bernoulli certain(of({1.0, 0.0, 0.25})), other(of({0.25, 0.25, 0.5}));
    const Values found = list(kl_divergence(certain, other));
    EXPECT_NEAR(found[0], std::log(4.0), 1e-12);
    EXPECT_NEAR(found[1], std::log(4.0 / 3), 1e-12);
    EXPECT_NEAR(found[2], 0.25 * std::log(0.5) + 0.75 * std::log(1.5), 1e-12);
}

}  // namespace
}  // namespace catena::testing
