// Functions with a gradient of the user's own, and functions whose inner values are forgotten.
#include <cmath>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/link/connection/linear.h"
#include "frontend/link/normalization/batch_normalization.h"
#include "frontend/static_graph/static_graph.h"
#include "frontend/testing/gradient_check.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/custom/custom_function.h"
#include "runtime/ops/custom/forget.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/noise/noise.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Array numbers(std::vector<float> values) {
    const int64_t n = int64_t(values.size());
    return Array::from(values, Shape{n});
}
std::vector<float> elements(const Variable& x) { return x.array().to_vector<float>(); }

template <class E, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    return "nothing was thrown";
}

/// A gradient that is not the function's own: three times as large.
auto steep_square() {
    return custom_function(
        "steep_square", [](const Variable& x) { return x * x; },
        [](const Variable& x, const Variable&, const Variable& gy) { return gy * x * 6; });
}

TEST(CustomFunction, has_the_gradient_that_was_written) {
    const Variable x(numbers({1, 2}));
    const Variable y = steep_square()(x);
    EXPECT_THAT(elements(y), ElementsAre(1, 4));
    EXPECT_THAT(elements(grad({sum(y)}, {x})[0]), ElementsAre(6, 12));
}

TEST(CustomFunction, without_captures_is_the_same_operation_every_time) {
    EXPECT_EQ(steep_square().name(), steep_square().name());
    const float factor = 2;
    const auto make = [factor] {
        return custom_function(
            "scaled", [factor](const Variable& x) { return x * factor; },
            [factor](const Variable&, const Variable&, const Variable& gy) { return gy * factor; });
    };
    EXPECT_NE(make().name(), make().name());
}

TEST(CustomFunction, can_be_differentiated_twice) {
    const auto cube = custom_function(
        "cube", [](const Variable& x) { return x * x * x; },
        [](const Variable& x, const Variable&, const Variable& gy) { return 3 * x * x * gy; });
    const TestedFunction f = [&](std::span<const Variable> xs) { return Variables{cube(xs[0])}; };
    const std::vector<Array> x = {Array::from<double>({0.5, -1.5})},
                             g = {Array::from<double>({1, 2})};
    check_backward(f, x, g);
    check_double_backward(f, x, g, g);
}

TEST(CustomFunction, of_several_inputs_and_outputs) {
    const auto polar = custom_function(
        "polar",
        [](std::span<const Variable> xs) {
            return Variables{xs[0] * cos(xs[1]), xs[0] * sin(xs[1])};
        },
        [](const CustomCall& c) {
            const Variable &r = c.xs[0], &angle = c.xs[1], &gx = c.gys[0], &gy = c.gys[1];
            return Variables{gx * cos(angle) + gy * sin(angle),
                             r * (gy * cos(angle) - gx * sin(angle))};
        },
        {.outputs = 2, .keep_outputs = false});
    const TestedFunction f = [&](std::span<const Variable> xs) { return polar(xs); };
    check_backward(f, {Array::from<double>({1, 2}), Array::from<double>({0.3, 4})},
                   {Array::from<double>({1, -1}), Array::from<double>({0.5, 2})});
    const Variable r(numbers({2})), angle(numbers({0}));
    const std::vector<Variable> both = {r, angle};
    EXPECT_THAT(elements(grad({sum(polar(both)[1])}, {angle})[0]), ElementsAre(2));
}

TEST(CustomFunction, may_compute_elements_itself) {
    const auto doubled = custom_function(
        "doubled_on_host",
        [](const Variable& x) {
            std::vector<float> values = x.array().to_vector<float>();
            for (float& v : values) v *= 2;
            return Variable(Array::from(values, x.shape()), false);
        },
        [](const Variable&, const Variable&, const Variable& gy) { return gy * 2; });
    const Variable x(numbers({1, 2}));
    EXPECT_THAT(elements(grad({sum(doubled(x) * x)}, {x})[0]), ElementsAre(4, 8));
    if (!compiler_available()) return;
    auto region = static_graph([&](const Variable& v) { return doubled(v + 1) * 3; });
    for (float start : {1.f, 1.f, 5.f})
        EXPECT_THAT(elements(region(Variable(numbers({start}), false))),
                    ElementsAre((start + 1) * 6));
}

TEST(CustomFunction, in_a_region_has_the_same_gradient) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    const auto f = [](const Variable& x) {
        const Variable loss = sum(steep_square()(x + 1));
        return std::vector<Variable>{loss, grad({loss}, {x})[0]};
    };
    auto region = static_graph(f);
    auto forward = static_graph([](const Variable& x) { return sum(steep_square()(x + 1)); });
    for (float start : {1.f, 1.f, 3.f}) {
        const Variable x(numbers({start, 2}));
        const auto right = f(x), compiled = region(x);
        EXPECT_EQ(elements(compiled[0]), elements(right[0]));
        EXPECT_EQ(elements(compiled[1]), elements(right[1]));
        x.cleargrad();
        forward(x).backward();
        EXPECT_EQ(x.grad().to_vector<float>(), elements(right[1]));
    }
    EXPECT_GT(region.statistics().compiled_calls, 0);
}

TEST(CustomFunction, mistakes_are_told_by_name) {
    const Variable x(numbers({1, 2}));
    const auto bad = custom_function(
        "bad_gradient", [](const Variable& v) { return v * 2; },
        [](const Variable&, const Variable&, const Variable& gy) { return sum(gy); });
    EXPECT_THAT(
        message_of<ShapeError>([&] { sum(bad(x)).backward(); }),
        HasSubstr(
            "bad_gradient: backward gives a gradient float32[] of input 0, which is float32[2]"));
    const auto few = custom_function(
        "few_results", [](std::span<const Variable> xs) { return Variables{xs[0]}; },
        [](const CustomCall& c) { return Variables{c.gys[0]}; }, {.outputs = 2});
    EXPECT_THAT(message_of<ValueError>([&] { few(x); }),
                HasSubstr("few_results: forward gives 1 results, CustomOptions::outputs is 2"));
}

/// tanh(W x) and the gradients of x and the parameters.
struct Outcome {
    std::vector<float> y, gx, gW;
};

TEST(Forget, gives_the_gradients_of_inputs_and_of_captured_parameters) {
    Linear layer(2, 3);
    const auto run = [&](bool forgets) {
        const Variable x(Array::from<float>(std::vector<float>{1, 2, 3, 4}, Shape{2, 2}));
        const auto f = [&](const Variable& h) { return tanh(layer(h * 2)); };
        layer.cleargrads();
        const Variable y = forgets ? forget(f, x * 1.0) : f(x * 1.0);
        sum(y * y).backward();
        return Outcome{elements(y), x.grad().to_vector<float>(), layer.W.grad().to_vector<float>()};
    };
    const Outcome kept = run(false), forgotten = run(true);
    EXPECT_EQ(kept.y, forgotten.y);
    EXPECT_EQ(kept.gx, forgotten.gx);
    EXPECT_EQ(kept.gW, forgotten.gW);
}

TEST(Forget, grad_reaches_a_captured_variable) {
    const Variable w(numbers({3})), x(numbers({2})), inner = w * w;
    const Variable y = forget([&](const Variable& h) { return h * inner; }, x);
    EXPECT_THAT(elements(grad({y}, {w})[0]), ElementsAre(12));
    EXPECT_THAT(elements(grad({y}, {inner})[0]), ElementsAre(2));
}

TEST(Forget, calls_the_function_again_in_backward_only) {
    int calls = 0;
    const auto f = [&](const Variable& h) {
        ++calls;
        return exp(h);
    };
    const Variable x(numbers({0}));
    const Variable y = forget(f, x);
    EXPECT_EQ(calls, 1);
    y.backward();
    EXPECT_EQ(calls, 2);
    EXPECT_THAT(x.grad().to_vector<float>(), ElementsAre(1));
    {
        const auto mode = no_backprop_mode();
        EXPECT_FALSE(forget(f, x).requires_grad());
    }
    EXPECT_EQ(calls, 3);
}

TEST(Forget, keeps_no_inner_values) {
    const auto chain = [](const Variable& x) {
        Variable h = x;
        for (int i = 0; i < 8; ++i) h = tanh(exp(h) * 0.1);
        return h;
    };
    const Variable x(Array::zeros({Dtype::float32, {1 << 16}}));
    const auto held_by = [&](auto&& make) {
        const size_t before = cpu_memory_statistics().bytes_in_use;
        const Variable y = make();
        return cpu_memory_statistics().bytes_in_use - before;
    };
    const size_t kept = held_by([&] { return chain(x); }),
                 forgotten = held_by([&] { return forget(chain, x); });
    EXPECT_GE(kept, size_t(16) << 18);
    EXPECT_LE(forgotten, size_t(2) << 18);
}

TEST(Forget, draws_the_same_random_numbers_again) {
    set_seed(1);
    const Variable x(Array::full({Dtype::float32, {200}}, 1));
    const Variable y = forget([](const Variable& h) { return dropout(h, 0.5) * h; }, x);
    const std::vector<int64_t> state = save_random_state();
    sum(y).backward();
    EXPECT_EQ(save_random_state(), state);
    std::vector<float> right;
    for (float value : elements(y)) right.push_back(2 * value);
    EXPECT_EQ(x.grad().to_vector<float>(), right);
}

TEST(Forget, running_statistics_change_once) {
    BatchNormalization plain(2), forgetting = plain;
    const Variable x(Array::from<float>(std::vector<float>{1, 2, 3, 5}, Shape{2, 2}));
    sum(square(plain(x))).backward();
    sum(square(forget([&](const Variable& h) { return forgetting(h); }, x))).backward();
    EXPECT_EQ(elements(plain.avg_mean), elements(forgetting.avg_mean));
    EXPECT_EQ(elements(plain.avg_var), elements(forgetting.avg_var));
}

TEST(CustomFunction, backward_may_return_a_tuple) {
    const auto mul_add = custom_function(
        "tested_mul_add",
        [](const Variable& x, const Variable& y, const Variable& z) { return x * y + z; },
        [](const Variable& x, const Variable& y, const Variable&, const Variable&,
           const Variable& g) { return std::tuple(g * y, g * x, g); });
    const Variable x(numbers({2})), y(numbers({3})), z(numbers({4}));
    const Variables gx = grad({mul_add(x, y, z)}, {x, y, z});
    EXPECT_THAT(elements(gx[0]), ElementsAre(3));
    EXPECT_THAT(elements(gx[1]), ElementsAre(2));
    EXPECT_THAT(elements(gx[2]), ElementsAre(1));
}

TEST(Forget, can_be_differentiated_twice) {
    const TestedFunction f = [](std::span<const Variable> xs) {
        return Variables{forget(
            [](const Variable& a, const Variable& b) { return exp(a) * tanh(b); }, xs[0], xs[1])};
    };
    const std::vector<Array> xs = {Array::from<double>({0.5, -1}), Array::from<double>({0.2, 0.7})};
    check_backward(f, xs, {});
    check_double_backward(f, xs, {}, {});
}

TEST(Forget, may_return_its_input_and_several_results) {
    const Variable x(numbers({2}));
    const Variables ys = forget([](const Variable& h) { return Variables{h, h * h}; }, x);
    EXPECT_THAT(elements(grad({ys[0] * ys[1]}, {x})[0]), ElementsAre(12));
    x.backward();  // Still a leaf, whose own gradient is 1.
    EXPECT_THAT(elements(x.grad()), ElementsAre(1));
}

TEST(Forget, in_a_region_is_the_plain_call) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    auto region = static_graph([](const Variable& x) {
        const Variable loss = sum(forget([](const Variable& h) { return exp(h) * h; }, x));
        return grad({loss}, {x})[0];
    });
    const Variable x(numbers({1}));
    for (int call = 0; call < 3; ++call) EXPECT_FLOAT_EQ(elements(region(x))[0], 2 * std::exp(1.f));
    EXPECT_GT(region.statistics().compiled_calls, 0);
}

TEST(Forget, another_result_in_backward_is_an_error) {
    bool again = false;
    const Variable x(numbers({1, 2}));
    const Variable y = forget([&](const Variable& h) { return again ? sum(h) : h * 2; }, x);
    again = true;
    EXPECT_THAT(
        message_of<ValueError>([&] { sum(y).backward(); }),
        HasSubstr(
            "forget: result 0 of the function is float32[] in backward, it was float32[2] before"));
}

TEST(CustomFunction, takes_more_inputs_than_a_word_has_bits) {
    constexpr int count = 70;
    const auto weighted = custom_function(
        "weighted_sum_of_many",
        [](std::span<const Variable> x) {
            Variable y = x[0] * 1.0;
            for (size_t i = 1; i < x.size(); ++i) y = y + x[i] * x[i] * double(i);
            return y;
        },
        [](const CustomCall& call) {
            Variables gx;
            for (size_t i = 0; i < call.xs.size(); ++i)
                gx.push_back(i == 0 ? call.gys[0] : call.gys[0] * call.xs[i] * (2.0 * double(i)));
            return gx;
        });
    for (const bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        auto region = static_graph([&](const std::vector<Variable>& x) { return weighted(x); });
        std::vector<Variable> x;
        for (int i = 0; i < count; ++i) x.emplace_back(numbers({float(i), 1}));
        for (int call = 0; call < 3; ++call) {
            for (Variable& each : x) each.cleargrad();
            sum(compiled ? region(x) : weighted(x)).backward();
            for (int i = 1; i < count; ++i)
                EXPECT_EQ(x[size_t(i)].grad().to_vector<float>(),
                          (std::vector<float>{2.0f * float(i) * float(i), 2.0f * float(i)}))
                    << i;
        }
    }
}

TEST(CustomFunction, gradients_of_lists_of_arrays_reach_all_of_them) {
    std::vector<Variable> x;
    for (int i = 0; i < 70; ++i) x.emplace_back(numbers({float(i), 1}));
    const Variable sum_of_squares = sum(concat(x, 0) * concat(x, 0));
    const auto gradients = grad({sum_of_squares}, x, {}, {.enable_double_backprop = true});
    Variable total = sum(gradients[0]);
    for (size_t i = 1; i < gradients.size(); ++i) total = total + sum(gradients[i] * x[i]);
    total.backward();
    EXPECT_EQ(x[69].grad().to_vector<float>(), (std::vector<float>{4.0f * 69, 4.0f}));
}

}  // namespace
}  // namespace catena
