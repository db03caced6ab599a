// Functions whose node holds the object of one call.
#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/testing/gradient_check.h"
#include "runtime/graph/walk/gradient.h"
#include "tests/frontend/capture_models.h"
#include "tests/frontend/user_functions.h"
#include "tests/reject/rejection.h"

namespace catena::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(UserFunction, has_the_gradient_that_was_written_and_can_be_differentiated_twice) {
    const TestedFunction f = [](std::span<const Variable> xs) {
        return call_user_function(make_ref<Cube>(), xs);
    };
    const std::vector<Array> x = {Array::from<double>({0.5, -1.5})},
                             g = {Array::from<double>({1, 2})}, gg = {Array::from<double>({2, -1})};
    check_backward(f, x, g);
    check_double_backward(f, x, g, gg);
}

TEST(UserFunction, each_call_has_its_own_object) {
    const Variable x = doubles({1, 2});
    const Variable twice = called(make<ScaledCall>(2.0), x),
                   thrice = called(make<ScaledCall>(3.0), x);
    EXPECT_THAT(read(grad({sum(thrice)}, {x})[0].array()), ElementsAre(3, 3));
    EXPECT_THAT(read(grad({sum(twice)}, {x})[0].array()), ElementsAre(2, 2));
    const Ref<UserFunction> four = make<ScaledCall>(4.0);
    EXPECT_EQ(creator_function(called(four, x)), four);
    EXPECT_FALSE(creator_function(x));
    EXPECT_FALSE(creator_function(twice * 2.0));
    const Variable six = called(make<ScaledCall>(3.0), twice);
    EXPECT_THAT(read(grad({sum(six)}, {x})[0].array()), ElementsAre(6, 6));
}

TEST(UserFunction, is_one_operation_for_each_name) {
    const Variable x = doubles({1});
    called(make<ScaledCall>(2.0), x);
    const size_t before = all_ops().size();
    for (int i = 0; i < 10; ++i) called(make<ScaledCall>(2.0 + i), x);
    EXPECT_EQ(all_ops().size(), before);
}

TEST(UserFunction, retains_what_forward_asks_for) {
    const Variable a = doubles({1, 2}), b = doubles({3, 4});
    const auto product = make<Written>(
        "Product",
        [](Written& f, std::span<const Variable> xs) {
            f.retain_inputs(std::array{1});
            f.retain_outputs(std::array{0});
            return Variables{xs[0] * xs[1], xs[0] + 0.0};
        },
        [](Written& f, std::span<const int> wanted, std::span<const Variable> gys) {
            EXPECT_THAT(wanted, ElementsAre(0));
            EXPECT_FALSE(gys[1].defined());
            EXPECT_THAT(read(f.retained_output(0).array()), ElementsAre(3, 8));
            EXPECT_EQ(refusal<ValueError>([&] {
                          f.retained_input(0);
                      }).find("Product: backward asks for input 0, which was not retained"),
                      0u);
            EXPECT_EQ(refusal<ValueError>([&] {
                          f.retained_output(1);
                      }).find("Product: backward asks for output 1, which was not retained"),
                      0u);
            EXPECT_EQ(refusal<ValueError>([&] {
                          f.retained_input(2);
                      }).find("Product: backward asks for input 2 of 2"),
                      0u);
            return Variables{gys[0] * f.retained_input(1)};
        });
    const Variable inputs[] = {a, b.detach()};
    const Variables ys = call_user_function(product, inputs);
    EXPECT_THAT(read(grad({sum(ys[0])}, {a})[0].array()), ElementsAre(3, 4));
    EXPECT_EQ(refusal<ValueError>([&] {
                  product->retained_input(1);
              }).find("Product: input 1 is there only while backward runs"),
              0u);
}

TEST(UserFunction, objects_go_with_the_graph) {
    const int64_t before = NodeFunction::alive();
    {
        const Variable x = doubles({1, 2});
        const Variable y = called(make<Cube>(), x), z = called(make<Cube>(), y);
        EXPECT_EQ(NodeFunction::alive(), before + 2);
        called(make<Cube>(), x);
        EXPECT_EQ(NodeFunction::alive(), before + 2);
        sum(z).backward();
    }
    EXPECT_EQ(NodeFunction::alive(), before);
    const auto mode = no_backprop_mode();
    const Variable y = called(make<Cube>(), doubles({1, 2}));
    EXPECT_EQ(NodeFunction::alive(), before);
}

TEST(UserFunction, what_it_throws_leaves_as_it_is_and_leaves_nothing) {
    const int64_t before = NodeFunction::alive();
    const Variable x = doubles({1, 2});
    EXPECT_EQ(code_of([&] { called(throwing(true), x); }), 7);
    EXPECT_EQ(code_of([&] { sum(called(throwing(false), x)).backward(); }), 8);
    EXPECT_EQ(NodeFunction::alive(), before);
    sum(called(make<Cube>(), x)).backward();
    EXPECT_THAT(read(x.grad()), ElementsAre(3, 12));
}

TEST(UserFunction, errors_name_the_function_and_what_would_be_right) {
    const Variable x = doubles({1, 2});
    const auto with = [](Written::Forward forward, Written::Backward backward) {
        return make<Written>("Wrong", std::move(forward), std::move(backward));
    };
    const Written::Forward twice = [](Written&, std::span<const Variable> xs) {
        return Variables{xs[0] * 2.0};
    };
    const auto backward_error = [&]<class E>(E*, Written::Backward backward) {
        const Variable y = sum(called(with(twice, std::move(backward)), x));
        return refusal<E>([&] { y.backward(); });
    };
    EXPECT_THAT(backward_error(static_cast<ValueError*>(nullptr),
                               [](Written&, std::span<const int>, std::span<const Variable> gys) {
                                   return Variables{gys[0], gys[0]};
                               }),
                HasSubstr("Wrong: backward gives 2 gradients, those of 1 inputs were asked for"));
    EXPECT_THAT(backward_error(static_cast<ShapeError*>(nullptr),
                               [](Written&, std::span<const int>, std::span<const Variable> gys) {
                                   return Variables{sum(gys[0])};
                               }),
                HasSubstr("Wrong: backward gives a gradient float64[] of input 0, which is "
                          "float64[2]; they must be equal"));
    const auto nothing =
        with([](Written&, std::span<const Variable>) { return Variables{Variable()}; }, nullptr);
    EXPECT_THAT(refusal<ValueError>([&] { called(nothing, x); }),
                HasSubstr("Wrong: result 0 of forward is undefined"));
    const Ref<UserFunction> once = make<Cube>();
    called(once, x);
    EXPECT_THAT(refusal<ValueError>([&] { called(once, x); }),
                HasSubstr("Cube: this object was called before; make another for each call"));
}

TEST(UserFunction, stays_with_its_node_where_one_of_two_results_is_unchained) {
    const Variable x = doubles({1, 2});
    const auto both = make<Written>(
        "Both",
        [](Written&, std::span<const Variable> xs) { return Variables{xs[0] * 2.0, xs[0] * 5.0}; },
        [](Written&, std::span<const int>, std::span<const Variable> gys) {
            Variable g = doubles({0, 0}, false);
            if (gys[0].defined()) g = g + gys[0] * 2.0;
            if (gys[1].defined()) g = g + gys[1] * 5.0;
            return Variables{g};
        });
    const Variables ys = call_user_function(both, {&x, 1});
    const Variable a = ys[0] * 10.0, b = ys[1] * 10.0;
    ys[0].unchain();
    sum(a + b).backward();
    EXPECT_THAT(read(x.grad()), ElementsAre(50, 50));
    EXPECT_THAT(read(ys[0].grad()), ElementsAre(10, 10));
}

TEST(UserFunction, functions_may_call_others) {
    const Variable x = doubles({1, 2});
    const auto outer = make<Written>(
        "Outer",
        [](Written& f, std::span<const Variable> xs) {
            const Variable inner = called(make<ScaledCall>(3.0), xs[0]);
            f.retain_inputs({});
            return Variables{inner * 2.0};
        },
        [](Written&, std::span<const int>, std::span<const Variable> gys) {
            return Variables{called(make<ScaledCall>(6.0), gys[0])};
        });
    const Variable y = called(outer, x);
    EXPECT_THAT(read(grad({sum(y)}, {x})[0].array()), ElementsAre(6, 6));
}

}  // namespace
}  // namespace catena::testing
