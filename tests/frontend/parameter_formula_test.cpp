// Parameters of one optimizer that are updated by the formula of another.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"

namespace catena {
namespace {

using ::testing::HasSubstr;

struct First : Chain {
    Parameter a{Array::from<float>({1, -2, 3})};
    First() { add_param("a", a); }
};
struct Others : Chain {
    Parameter b{Array::from<float>({0.5, 4})}, c{Array::from<float>({-1})};
    Others() {
        add_param("b", b);
        add_param("c", c);
    }
};
struct Pair : Chain {
    First first;
    Others others;
    Parameter &a = first.a, &b = others.b, &c = others.c;
    Pair() { add_children({{"first", first}, {"others", others}}); }
    Pair(const Pair&) = delete;
    Variable loss() const { return sum(a * a * a) + sum(b * b) + sum(sin(c)); }
};

std::vector<float> elements(const Variable& x) { return x.array().to_vector<float>(); }

/// Steps with Adam, b and c by momentum, and the loss as a region if `compiled`.
void train(Pair& link, Optimizer& optimizer, int steps, bool compiled) {
    const auto step = [&] {
        link.cleargrads();
        const Variable loss = link.loss();
        loss.backward();
        optimizer.update();
        return loss;
    };
    auto region = static_graph(step);
    for (int i = 0; i < steps; ++i) compiled ? region() : step();
}

/// b and c by momentum.
std::shared_ptr<MomentumSGD> give_momentum(Optimizer& optimizer, Pair& link) {
    auto momentum = std::make_shared<MomentumSGD>(0.1, 0.8);
    optimizer.update_rule(link.b).use(momentum);
    optimizer.update_rule(link.c).use(momentum);
    return momentum;
}

/// a, b and c after steps with an optimizer for each part.
std::vector<std::vector<float>> truth(int steps) {
    Pair link;
    Adam adam(0.05);
    MomentumSGD momentum(0.1, 0.8);
    adam.setup(link.first);
    momentum.setup(link.others);
    for (int i = 0; i < steps; ++i) {
        link.cleargrads();
        link.loss().backward();
        adam.update();
        momentum.update();
    }
    return {elements(link.a), elements(link.b), elements(link.c)};
}

std::vector<std::vector<float>> all_elements(const Pair& link) {
    return {elements(link.a), elements(link.b), elements(link.c)};
}

class ParameterFormula : public ::testing::TestWithParam<bool> {};

TEST_P(ParameterFormula, gives_what_two_optimizers_give) {
    Pair link;
    Adam adam(0.05);
    adam.setup(link);
    give_momentum(adam, link);
    train(link, adam, 5, GetParam());
    EXPECT_EQ(all_elements(link), truth(5));
    EXPECT_EQ(adam.t(), 5);
}
INSTANTIATE_TEST_SUITE_P(All, ParameterFormula, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "compiled" : "eager"; });

TEST(ParameterRuleUse, moments_numbers_and_hooks_are_those_of_the_formula) {
    Pair link;
    Adam adam(0.05);
    adam.setup(link);
    const auto momentum = give_momentum(adam, link);
    ParameterRule rule = adam.update_rule(link.b);
    EXPECT_EQ(rule.hyperparameter("momentum").value(), 0.8);
    EXPECT_THROW(rule.hyperparameter("beta1"), ValueError);
    rule.hyperparameter("lr") = 0.0;  // b alone stands still.
    train(link, adam, 1, false);
    EXPECT_EQ(elements(link.b), (std::vector<float>{0.5, 4}));
    EXPECT_NE(elements(link.c), (std::vector<float>{-1}));
    EXPECT_EQ(rule.state("v").shape(), Shape{2});
    EXPECT_THROW(rule.state("m"), ValueError);
    EXPECT_EQ(adam.update_rule(link.a).state("m").shape(), Shape{3});
    momentum->lr = 0.0;  // All that use it follow.
    const std::vector<float> v = elements(adam.update_rule(link.c).state("v")),
                             before = elements(link.c);
    train(link, adam, 1, false);
    EXPECT_FLOAT_EQ(elements(link.c)[0], before[0] + 0.8f * v[0]);
    rule.follow_optimizer();
    EXPECT_FALSE(rule.state("m").defined());
    train(link, adam, 1, false);
    EXPECT_TRUE(rule.state("m").defined());
    EXPECT_THROW(rule.use(std::shared_ptr<Optimizer>()), ValueError);
}

TEST(ParameterRuleUse, a_resumed_training_equals_the_uninterrupted_one) {
    const std::string path = ::testing::TempDir() + "catena_parameter_formula.npz";
    {
        Pair link;
        Adam adam(0.05);
        adam.setup(link);
        give_momentum(adam, link);
        train(link, adam, 3, false);
        save_npz(path, adam);
        save_npz(path + ".model", link);
    }
    std::vector<std::string> keys = NpzFile(path).keys();
    EXPECT_THAT(keys,
                ::testing::IsSupersetOf({"first/a/m", "first/a/v", "others/b/v", "others/c/v"}));
    EXPECT_THAT(keys, ::testing::Not(::testing::Contains("others/b/m")));
    Pair link;
    load_npz(path + ".model", link);
    Adam adam(0.05);
    adam.setup(link);
    give_momentum(adam, link);
    load_npz(path, adam);
    train(link, adam, 3, false);
    EXPECT_EQ(all_elements(link), truth(6));
    std::filesystem::remove(path);
    std::filesystem::remove(path + ".model");
}

}  // namespace
}  // namespace catena
