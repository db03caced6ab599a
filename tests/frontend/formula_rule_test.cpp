// Update rules from one formula.
#include "frontend/optimizer/rules/formula_rule.h"

#include <cmath>

#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "runtime/ops/define/symbolic.h"
#include "tests/reject/rejection.h"

namespace catena::testing {
namespace {

/// Inputs p, g, m, t; m begins as 1.
const DefinedRule& averaging_rule() {
    static const DefinedRule& rule =
        define_rule({.name = "Averaging",
                     .states = {{"m", 1.0}},
                     .numbers = {{"lr", 0.5}, {"beta", 0.9}, {"late", 3.0}},
                     .formula = make_formula<4, 3>(
                         [](auto p, auto g, auto m, auto t, auto lr, auto beta, auto late) {
                             const auto m1 = beta * m + (1.0 - beta) * g;
                             const auto rate = select(t >= late, lr * sqrt(1.0 - pow(beta, t)), lr);
                             return std::tuple(p - rate * m1, m1);
                         })});
    return rule;
}

Parameter two_numbers() { return Parameter(Array::from({1.0f, -2.0f})); }

TEST(FormulaRule, is_its_formula_with_numbers_that_change) {
    Parameter W = two_numbers();
    FormulaRule rule(averaging_rule());
    rule.setup({{"W", W}});
    double p = 1, m = 1, lr = 0.5;
    for (int t = 1; t <= 6; ++t) {
        if (t == 5) rule.hyperparameter("lr") = lr = 0.25;
        W.set_grad(Array::from({0.25f, 0.5f}));
        rule.update();
        m = 0.9 * m + 0.1 * 0.25;
        p -= (t >= 3 ? lr * std::sqrt(1 - std::pow(0.9, t)) : lr) * m;
        EXPECT_NEAR(W.array().to_vector<float>()[0], p, 1e-6) << t;
    }
    EXPECT_EQ(rule.type_name(), "Averaging");
    EXPECT_NEAR(rule.update_rule(W).state("m").array().to_vector<float>()[0], m, 1e-6);
}

TEST(FormulaRule, of_one_parameter_stands_beside_other_rules) {
    Parameter W = two_numbers(), b = two_numbers();
    SGD sgd(1.0);
    sgd.setup({{"W", W}, {"b", b}});
    sgd.update_rule(b).use<FormulaRule>(averaging_rule()).hyperparameter("lr") = 1.0;
    for (Parameter* each : {&W, &b}) each->set_grad(Array::from({1.0f, 1.0f}));
    sgd.update();
    EXPECT_FLOAT_EQ(W.array().to_vector<float>()[0], 0);
    EXPECT_FLOAT_EQ(b.array().to_vector<float>()[0], 0);
    EXPECT_FLOAT_EQ(b.array().to_vector<float>()[1], -3);
}

TEST(FormulaRule, is_the_same_in_a_static_region) {
    Parameter eager = two_numbers(), compiled = two_numbers();
    FormulaRule rules[] = {FormulaRule(averaging_rule()), FormulaRule(averaging_rule())};
    rules[0].setup({{"W", eager}});
    rules[1].setup({{"W", compiled}});
    const auto step = [](Parameter& W, Optimizer& rule, const Variable& x) {
        const Variable loss = sum(W * W * x);
        W.cleargrad();
        loss.backward();
        rule.update();
        return loss;
    };
    auto region = static_graph([&](const Variable& x) { return step(compiled, rules[1], x); });
    for (int i = 0; i < 6; ++i) {
        if (i == 4)
            for (FormulaRule& rule : rules) rule.hyperparameter("lr") = 0.125;
        const Variable x(Array::from({0.5f, 0.25f + float(i)}), false);
        step(eager, rules[0], x);
        region(x);
        for (int k = 0; k < 2; ++k)
            EXPECT_NEAR(compiled.array().to_vector<float>()[size_t(k)],
                        eager.array().to_vector<float>()[size_t(k)], 1e-5);
    }
}

TEST(FormulaRule, of_another_number_of_values_is_refused) {
    EXPECT_REFUSED_WITHOUT_LINE(
        ValueError,
        "Wrong: with 1 states and 0 numbers a rule takes 4 arrays (parameter, gradient, "
        "states, t) and gives 2; its formula takes 3 and 0 numbers, and gives 1",
        define_rule({.name = "Wrong",
                     .states = {{"m", 0.0}},
                     .formula = make_formula<3, 0>([](auto p, auto g, auto) { return p - g; })}));
}

}  // namespace
}  // namespace catena::testing
