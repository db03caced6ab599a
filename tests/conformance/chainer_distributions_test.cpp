// Distributions against what Chainer gave (chainer_distributions.py).
#include <cmath>
#include <fstream>
#include <map>
#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "frontend/distribution/distributions.h"
#include "frontend/static_graph/static_function.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/gradient.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;
using namespace distributions;
using Params = std::vector<Variable>;
using Made = std::unique_ptr<Distribution>;

template <class D>
Made of_one(const Params& p) {
    return std::make_unique<D>(p[0]);
}
template <class D>
Made of_two(const Params& p) {
    return std::make_unique<D>(p[0], p[1]);
}
template <class D>
Made own(D distribution) {
    return std::make_unique<D>(std::move(distribution));
}

const std::map<std::string, std::function<Made(const Params&)>> makers{
    {"Normal", of_two<Normal>},
    {"Normal.with_log_scale",
     [](const Params& p) { return own(Normal::with_log_scale(p[0], p[1])); }},
    {"Laplace", of_two<Laplace>},
    {"Cauchy", of_two<Cauchy>},
    {"Gumbel", of_two<Gumbel>},
    {"LogNormal", of_two<LogNormal>},
    {"Exponential", of_one<Exponential>},
    {"Gamma", of_two<Gamma>},
    {"Chisquare", of_one<Chisquare>},
    {"Beta", of_two<Beta>},
    {"Dirichlet", of_one<Dirichlet>},
    {"Pareto", of_two<Pareto>},
    {"Uniform", of_two<Uniform>},
    {"Uniform.with_loc_scale",
     [](const Params& p) { return own(Uniform::with_loc_scale(p[0], p[1])); }},
    {"Bernoulli", of_one<Bernoulli>},
    {"Bernoulli.with_logit", [](const Params& p) { return own(Bernoulli::with_logit(p[0])); }},
    {"Bernoulli binary_check", [](const Params& p) { return own(Bernoulli(p[0], true)); }},
    {"Categorical", of_one<Categorical>},
    {"Categorical.with_logit", [](const Params& p) { return own(Categorical::with_logit(p[0])); }},
    {"OneHotCategorical", of_one<OneHotCategorical>},
    {"Geometric", of_one<Geometric>},
    {"Poisson", of_one<Poisson>},
    {"MultivariateNormal", of_two<MultivariateNormal>},
    {"Independent", [](const Params& p) { return own(Independent(Normal(p[0], p[1]))); }},
};

using OfX = std::function<Variable(const Distribution&, const Variable&)>;
const std::map<std::string, OfX> functions{
    {"mean", [](auto& d, auto&) { return d.mean(); }},
    {"mode", [](auto& d, auto&) { return d.mode(); }},
    {"variance", [](auto& d, auto&) { return d.variance(); }},
    {"stddev", [](auto& d, auto&) { return d.stddev(); }},
    {"entropy", [](auto& d, auto&) { return d.entropy(); }},
    {"covariance", [](auto& d, auto&) { return d.covariance(); }},
    {"log_prob", [](auto& d, auto& x) { return d.log_prob(x); }},
    {"prob", [](auto& d, auto& x) { return d.prob(x); }},
    {"cdf", [](auto& d, auto& x) { return d.cdf(x); }},
    {"icdf", [](auto& d, auto& x) { return d.icdf(x); }},
    {"log_cdf", [](auto& d, auto& x) { return d.log_cdf(x); }},
    {"survival_function", [](auto& d, auto& x) { return d.survival_function(x); }},
    {"log_survival_function", [](auto& d, auto& x) { return d.log_survival_function(x); }},
};

std::vector<double> numbers(const Json& list) {
    std::vector<double> values;
    for (const Json& value : list)
        values.push_back(value.is_string() ? std::stod(value.get<std::string>())
                                           : value.get<double>());
    return values;
}
Array array_of(const Json& array) {
    return Array::from(numbers(array["values"]), Shape(array["shape"].get<std::vector<int64_t>>()))
        .astype(parse_dtype(array["dtype"].get<std::string>()));
}
Params variables(const Json& arrays) {
    Params made;
    for (const Json& array : arrays) made.emplace_back(array_of(array));
    return made;
}

/// Chainer's 0 * infinity is NaN where something has no probability; ours is a number, of which
/// tests/frontend/distribution_test.cpp has the value.
enum class Nan { as_chainers, or_a_number };

void expect_values(const Array& array, const std::vector<double>& expected,
                   Nan nan = Nan::as_chainers) {
    const double tolerance = array.dtype() == Dtype::float32 ? 2e-5 : 2e-9;
    const std::vector<double> actual = array.to_vector<double>();
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) {
        if (std::isnan(expected[i]) && nan == Nan::or_a_number) continue;
        if (std::isnan(expected[i]) ? std::isnan(actual[i]) : actual[i] == expected[i]) continue;
        EXPECT_LE(std::abs(actual[i] - expected[i]), tolerance * (1 + std::abs(expected[i])))
            << "element " << i << " is " << actual[i] << ", Chainer's " << expected[i];
    }
}

/// A value and its gradients towards the variables.
void expect_result(const Variable& y, const Params& params, const Json& expected,
                   Nan nan = Nan::as_chainers) {
    EXPECT_EQ(to_string(y.shape()),
              to_string(Shape(expected["value"]["shape"].get<std::vector<int64_t>>())));
    expect_values(y.array(), numbers(expected["value"]["values"]), nan);
    if (expected["gy"].is_null()) return;
    const Variable gy(Array::from(numbers(expected["gy"]), y.shape()).astype(y.dtype()), false);
    const Variables gx = grad({y}, params, {gy});
    for (size_t i = 0; i < params.size(); ++i) {
        if (expected["gradients"][i].is_null()) continue;
        SCOPED_TRACE("gradient of parameter " + std::to_string(i));
        expect_values(gx[i].defined() ? gx[i].array() : Array::zeros(params[i].type()),
                      numbers(expected["gradients"][i]), nan);
    }
}

const Json& cases() {
    static const Json all = [] {
        std::ifstream file(CATENA_SOURCE_DIR "/tests/conformance/chainer_distributions.json");
        return Json::parse(file);
    }();
    return all;
}

class ChainerDistributions : public ::testing::TestWithParam<size_t> {};

TEST_P(ChainerDistributions, are_ours) {
    const Json& c = cases()[GetParam()];
    const Params params = variables(c["params"]);
    const auto maker = makers.at(c["distribution"].get<std::string>());
    const Made distribution = maker(params);
    EXPECT_EQ(distribution->batch_shape(), Shape(c["batch_shape"].get<std::vector<int64_t>>()));
    EXPECT_EQ(distribution->event_shape(), Shape(c["event_shape"].get<std::vector<int64_t>>()));
    for (const auto& [name, expected] : c["values"].items()) {
        SCOPED_TRACE(name);
        if (name == "kl") {
            const Params others = variables(c["others"]);
            Params all = params;
            all.insert(all.end(), others.begin(), others.end());
            expect_result(kl_divergence(*distribution, *maker(others)), all, expected,
                          Nan::or_a_number);
        } else {
            const Variable at(
                c["p"].is_null() || name != "icdf" ? array_of(c["x"]) : array_of(c["p"]), false);
            expect_result(functions.at(name)(*distribution, at), params, expected,
                          name == "log_prob" ? Nan::or_a_number : Nan::as_chainers);
        }
    }
}

/// NaN and infinities in the same places, other values within rounding.
TEST_P(ChainerDistributions, are_the_same_compiled) {
    const Json& c = cases()[GetParam()];
    const Params params = variables(c["params"]);
    const auto maker = makers.at(c["distribution"].get<std::string>());
    for (const auto& [name, expected] : c["values"].items()) {
        if (name == "kl") continue;
        SCOPED_TRACE(name);
        const auto& function = functions.at(name);
        auto value = [&](const Params& p, const Variable& x) { return function(*maker(p), x); };
        const Variable at(c["p"].is_null() || name != "icdf" ? array_of(c["x"]) : array_of(c["p"]),
                          false);
        const auto quiet = no_backprop_mode();
        expect_values(static_graph(value, "value")(params, at).array(),
                      value(params, at).array().to_vector<double>());
    }
}

std::string case_name(const ::testing::TestParamInfo<size_t>& info) {
    std::string name = cases()[info.param]["distribution"].get<std::string>();
    for (char& letter : name)
        if (!std::isalnum(uint8_t(letter))) letter = '_';
    return name + "_" + std::to_string(info.param);
}
INSTANTIATE_TEST_SUITE_P(distributions, ChainerDistributions,
                         ::testing::Range(size_t(0), cases().size()), case_name);

}  // namespace
}  // namespace catena::testing
