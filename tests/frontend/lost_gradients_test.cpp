// No gradient is lost without a word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"
#include "tests/reject/rejection.h"
#include "tests/support/said.h"

namespace catena::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(LostGradients, a_backward_without_a_graph_is_an_error) {
    const auto no_graph =
        AllOf(HasSubstr("backward: this float32[] has no graph"), HasSubstr("as Variable(array)"));
    const Variable x = Array::full({Dtype::float32, {2}}, 1);
    EXPECT_THAT(refusal<ValueError>([&] { sum(x * x).backward(); }), no_graph);
    EXPECT_THAT(refusal<ValueError>([&] { Variable(Array::scalar(1.0f), false).backward(); }),
                no_graph);
    const Variable y(Array::full({Dtype::float32, {2}}, 1));
    {
        auto off = no_backprop_mode();
        const Variable z = sum(y);
        EXPECT_THAT(refusal<ValueError>([&] { z.backward(); }), no_graph);
    }
    EXPECT_THAT(refusal<ValueError>([&] { backward({sum(x)}, {Array::scalar(1.0f)}); }), no_graph);
    EXPECT_THAT(refusal<ValueError>([&] {
                    backward({sum(y), sum(x)}, {Array::scalar(1.0f), Array::scalar(1.0f)});
                }),
                no_graph);
}

TEST(LostGradients, the_line_of_the_call_is_named) {
    const Variable x = Array::scalar(1.0f);
    EXPECT_THAT(refusal<ValueError>([&] { x.backward(); }),
                HasSubstr("lost_gradients_test.cpp:" + std::to_string(__LINE__ - 1)));
}

TEST(LostGradients, a_leaf_that_requires_a_gradient_gets_its_own) {
    const Variable x(Array::scalar(3.0f));
    x.backward({.loss_scale = 4});
    EXPECT_EQ(x.grad().item<float>(), 4);
    const Variable many(Array::full({Dtype::float32, {2}}, 1));
    EXPECT_THAT(refusal<ValueError>([&] { many.backward(); }),
                HasSubstr("needs a gradient set first"));
    many.set_grad(Array::full({Dtype::float32, {2}}, 5));
    many.backward();
    EXPECT_EQ(many.grad().to_vector<float>(), (std::vector<float>{5, 5}));
}

TEST(LostGradients, it_is_the_same_in_a_region) {
    const Variable x(Array::full({Dtype::float32, {2}}, 1), false);
    auto region = static_graph([](const Variable& x) {
        const Variable loss = sum(x * x);
        loss.backward();
        return loss;
    });
    EXPECT_THAT(refusal<ValueError>([&] { region(x); }), HasSubstr("has no graph"));
    Parameter w(Array::scalar(3.0f));
    auto leaf = static_graph([&] {
        w.cleargrad();
        w.backward();
    });
    for (int i = 0; i < 3; ++i) {
        leaf();
        EXPECT_EQ(w.grad().item<float>(), 1);
    }
}

TEST(LostGradients, plain_data_that_is_asked_for_a_gradient_says_what_it_is) {
    const Variable x = Array::full({Dtype::float32, {2, 7}}, 1);
    Parameter w(Array::full({Dtype::float32, {2, 7}}, 1));
    sum(x * w).backward();
    EXPECT_THAT(said([&] { EXPECT_FALSE(x.grad().defined()); }),
                AllOf(HasSubstr("grad: a float32[2,7]"), HasSubstr("as Variable(array)")));
    EXPECT_THAT(said([&] { (Variable(Array::from<int32_t>({1}))).grad(); }), IsEmpty());
    EXPECT_THAT(said([&] { Parameter(Array::scalar(1.0f)).grad(); }), IsEmpty());
}

/// An operation of a user's that computes on the host, and whose gradient nobody has written.
const OpDef& op_host_score = register_op({
    .name = "host_score",
    .type = [](const TypeCall&) { return Types{{Dtype::float32, {}}}; },
    .kernel =
        [](const KernelCall& call) {
            double total = 0;
            for (const double x : call.inputs[0].to_vector<double>()) total += x;
            call.outputs[0].data<float>()[0] = float(total);
        },
});

TEST(LostGradients, a_result_of_what_has_no_gradient_says_so) {
    const auto score_of = [](const Variable& x) { return call(op_host_score, {}, {}, {}, x); };
    const Variable y(Array::full({Dtype::float32, {4}}, 1));
    const Variable score = score_of(y);
    const auto named = HasSubstr("it was computed by host_score, which has no gradient");
    EXPECT_THAT(refusal<ValueError>([&] { score.backward(); }), named);
    EXPECT_THAT(refusal<ValueError>([&] { (score * 2.0).backward(); }), named);
    const std::string text = said([&] {
        (sum(y) + score).backward();
        (sum(y) + score).backward();
    });
    EXPECT_THAT(text, HasSubstr("backward: no gradient goes on through the result of host_score"));
    EXPECT_EQ(y.grad().to_vector<float>(), (std::vector<float>{2, 2, 2, 2}));
    const Variable data(Array::full({Dtype::float32, {4}}, 1), false);
    const Variable z(Array::scalar(1.0f));
    EXPECT_THAT(said([&] { (z + score_of(data)).backward(); }), IsEmpty()) << "nothing is lost";
}

}  // namespace
}  // namespace catena::testing
