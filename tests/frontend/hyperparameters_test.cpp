// Hyperparameters are numbers: what is assigned is a value, never a handle of another optimizer's
// number.
#include <gtest/gtest.h>

#include "frontend/catena.h"

namespace catena::testing {
namespace {

TEST(Hyperparameters, of_two_optimizers_stay_two_numbers_when_one_is_assigned_to_the_other) {
    SGD a(0.1), b(0.01);
    b.lr = a.lr;
    EXPECT_EQ(double(b.lr), 0.1);
    a.lr = 0.5;
    EXPECT_EQ(double(b.lr), 0.1);
    Adam fast, slow;
    slow.alpha = fast.alpha;
    slow.alpha = slow.alpha * 0.5;
    EXPECT_EQ(double(fast.alpha), 2 * double(slow.alpha));
    WeightDecay first(0.1), second(0.2);
    second = first;
    first.rate = 0.3;
    EXPECT_EQ(double(second.rate), 0.1);
}

TEST(Hyperparameters, of_a_parameter_take_the_value_of_another_number) {
    Linear l(2, 2), other(2, 2);
    SGD a(0.1), b(0.2);
    a.setup(l);
    b.setup(other);
    b.update_rule(other.W).hyperparameter("lr") = a.lr;
    EXPECT_EQ(double(b.update_rule(other.W).hyperparameter("lr")), 0.1);
    EXPECT_EQ(double(b.lr), 0.2);
}

TEST(Hyperparameters, that_were_assigned_are_those_of_the_compiled_step) {
    Linear l(2, 2), other(2, 2);
    SGD a(0.1), b(0.2);
    a.setup(l);
    b.setup(other);
    auto step = static_graph([&](const Variable& x) {
        other.cleargrads();
        const Variable loss = sum(other(x));
        loss.backward();
        b.update();
        return loss;
    });
    const Variable x(Array::full({Dtype::float32, {1, 2}}, 1.0), false);
    for (int i = 0; i < 3; ++i) step(x);
    b.lr = a.lr;
    a.lr = 0;
    const float before = other.W.array().to_vector<float>()[0];
    step(x);
    EXPECT_NEAR(before - other.W.array().to_vector<float>()[0], 0.1, 1e-6);
}

}  // namespace
}  // namespace catena::testing
