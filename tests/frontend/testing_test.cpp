// What users test their own code with, and the hooks that print and that belong to one operation.
#include <cmath>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/hooks/memory_hook.h"
#include "frontend/hooks/print_hook.h"
#include "frontend/link/connection/linear.h"
#include "frontend/testing/gradient_check.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/node/creator.h"
#include "runtime/graph/call/inspect.h"
#include "frontend/testing/save_and_load.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/graph/node/node_hooks.h"
#include "runtime/ops/custom/custom_function.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

using testing::HasSubstr;

template <class E, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(AssertAllclose, tells_the_worst_element) {
    const Array y = Array::from<double>(std::vector<double>{1, 2, 3, 4}, Shape{2, 2});
    assert_allclose(y, y);
    assert_allclose(Array::from<float>({NAN, INFINITY}), Array::from<double>({NAN, INFINITY}));
    const Array x = Array::from<double>(std::vector<double>{1, 2.5, 7, 4}, Shape{2, 2});
    EXPECT_THAT(
        message_of<CheckError>([&] { assert_allclose(x, y); }),
        HasSubstr(
            "2 of 4 elements differ by more than 1e-05 + 0.0001 |y|; most at [1,0]: x is 7, y 3"));
    EXPECT_THAT(message_of<CheckError>([&] { assert_allclose(Array::from<double>({1}), y); }),
                HasSubstr("their shapes must be equal"));
    EXPECT_THROW(assert_allclose(Array::from<float>({NAN}), Array::from<float>({1})), CheckError);
    assert_allclose(x, y, 4);
}

/// x * x with a gradient of 2 x + mistake.
TestedFunction square_with(double mistake) {
    const auto f = custom_function(
        "square_with_mistake", [](const Variable& x) { return x * x; },
        [=](const Variable& x, const Variable&, const Variable& gy) {
            return gy * (x * 2 + mistake);
        });
    return [f](std::span<const Variable> xs) { return Variables{f(xs[0])}; };
}

const std::vector<Array> points = {Array::from<double>({0.5, -1.5, 2})};

TEST(GradientCheck, passes_what_is_right_and_finds_a_mistake) {
    check_backward(square_with(0), points, {});
    EXPECT_THAT(message_of<CheckError>([] { check_backward(square_with(0.01), points, {}); }),
                HasSubstr("check_backward: the gradient of input 0 is"));
}

TEST(GradientCheck, computes_in_another_dtype) {
    const std::vector<Array> floats = {Array::from<float>({0.5f, -1.5f})};
    check_backward(square_with(0), floats, {},
                   {.atol = 1e-9, .rtol = 1e-9, .dtype = Dtype::float64});
}

TEST(GradientCheck, finds_a_gradient_that_cannot_be_differentiated_right) {
    // The second gradient ignores how the first depends on x.
    const auto cut = custom_function(
        "cut_gradient", [](const Variable& x) { return x * x; },
        [](const Variable& x, const Variable&, const Variable& gy) {
            return gy * Variable(x.array(), false) * 2;
        });
    const TestedFunction f = [&](std::span<const Variable> xs) { return Variables{cut(xs[0])}; };
    check_backward(f, points, {});
    EXPECT_THAT(message_of<CheckError>([&] { check_double_backward(f, points, {}, {}); }),
                HasSubstr("check_double_backward: the gradient of input 0 is 0"));
}

TEST(GradientCheck, looks_at_parameters_and_leaves_out_what_is_listed) {
    const Variable w(Array::from<double>({2, 3, 4}));
    const TestedFunction f = [&](std::span<const Variable> xs) {
        return Variables{xs[0] * w * floor(xs[1])};
    };
    const std::vector<Array> xs = {points[0], Array::from<double>({1.5, 2.5, 3.5})};
    EXPECT_THAT(message_of<CheckError>([&] { check_backward(f, xs, {}, {.params = {w}}); }),
                HasSubstr("no gradient flows to input 1; list it in no_grads if that is right"));
    check_backward(f, xs, {}, {.params = {w}, .no_grads = {1}});
    EXPECT_EQ(w.array().to_vector<double>(), (std::vector<double>{2, 3, 4}));
}

TEST(GradientCheck, numerical_gradients_are_element_by_element) {
    const auto g = numerical_grad([](auto xs) { return Variables{xs[0] * xs[0]}; }, points,
                                  {Array::from<double>({1, 2, 3})});
    assert_allclose(g[0], Array::from<double>({1, -6, 12}));
}

TEST(SaveAndLoad, carries_parameters_over) {
    Linear from(2, 3), to(2, 3);
    save_and_load(from, to);
    assert_allclose(to.W.array(), from.W.array(), 0, 0);
    if (!hdf5_available()) GTEST_SKIP() << "there is no HDF5";
    Linear third(2, 3);
    save_and_load_hdf5(from, third);
    assert_allclose(third.W.array(), from.W.array(), 0, 0);
}

TEST(SaveAndLoad, leaves_no_file) {
    std::string path;
    {
        const TemporaryFile file(".txt");
        path = file.path();
        EXPECT_TRUE(std::filesystem::exists(path));
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PrintHook, prints_operations_with_their_operands) {
    std::ostringstream out;
    PrintHook hook(out);
    Variable x(Array::from<float>({1, 2}));
    x.set_name("x");
    {
        const FunctionHookScope scope(hook);
        grad({exp(x)}, {x});
    }
    EXPECT_THAT(out.str(), HasSubstr("exp\n  input 0: x float32[2] on cpu\n"));
    EXPECT_THAT(out.str(),
                HasSubstr("backward of exp\n  gradient of output 0: float32[2] on cpu\n"));
    std::ostringstream elements;
    PrintHook with_elements(elements, true);
    const FunctionHookScope scope(with_elements);
    exp(x);
    EXPECT_THAT(elements.str(), HasSubstr("input 0: x float32[2] {1, 2}"));
}

TEST(MemoryHook, counts_what_operations_keep) {
    MemoryHook hook;
    const Variable x(Array::zeros({Dtype::float32, {1 << 16}}));
    Variable y;
    {
        const FunctionHookScope scope(hook);
        y = exp(x) * 2;
        sum(y);
    }
    const auto records = hook.summary();
    ASSERT_TRUE(records.contains("exp"));
    EXPECT_EQ(records.at("exp").occurrence, 1);
    EXPECT_GE(records.at("exp").used_bytes, 1 << 18);
    EXPECT_LT(records.at("sum").used_bytes, 1 << 16);
    std::ostringstream out;
    hook.print_report(out);
    EXPECT_THAT(out.str(), HasSubstr("exp"));
    EXPECT_EQ(hook.call_history()[0].name, "exp");
    EXPECT_EQ(hook.call_history()[0].device, &cpu_device());
    EXPECT_GE(hook.total_used_bytes(), 2 << 18);
}

TEST(MemoryHook, reports_in_units) {
    MemoryHook hook;
    const Variable x(Array::zeros({Dtype::float32, {1 << 18}}));
    {
        const FunctionHookScope scope(hook);
        const Variable y = exp(x);
        sum(y);
    }
    const auto report = [&](const std::string& unit) {
        std::ostringstream out;
        hook.print_report(out, unit);
        return out.str();
    };
    EXPECT_THAT(report("auto"), HasSubstr("1.00 MB"));
    EXPECT_THAT(report("KB"), HasSubstr("1024.00 KB"));
    EXPECT_THAT(report("B"), HasSubstr("1048576 B"));
    EXPECT_THAT(message_of<ValueError>([&] { report("kilo"); }),
                HasSubstr("'kilo' is not a unit; use auto, auto_foreach, B, KB"));
}

TEST(Creator, shows_the_operation_that_made_a_variable) {
    Variable x(Array::from<float>({1, 3})), data(Array::from<float>({2, 4}), false);
    const Variable h = exp(x), y = h * data;
    EXPECT_FALSE(creator(x));
    EXPECT_FALSE(creator(data));
    const std::optional<Creator> made = creator(y);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->label(), creator_label(y));
    EXPECT_EQ(made->rank(), 2);
    EXPECT_EQ(to_string(made->output_types()[0]), "float32[2]");
    EXPECT_EQ(made->outputs()[0].body(), y.body());
    const std::vector<CreatorInput> inputs = made->inputs();
    ASSERT_EQ(inputs.size(), 2u);
    EXPECT_EQ(inputs[0].variable.body(), h.body());
    EXPECT_EQ(*inputs[0].creator, *creator(h));
    EXPECT_FALSE(inputs[1].creator);
    EXPECT_EQ(inputs[1].array.to_vector<float>(),
              (std::vector<float>{2, 4}));  // The product's gradient reads it.
    EXPECT_EQ(inputs[0].creator->inputs()[0].variable.body(), x.body());
}

TEST(Creator, keeps_the_graph_when_variables_are_gone) {
    Variable x(Array::from<float>({1, 3}));
    std::optional<Creator> made = creator(sum(exp(x)));
    EXPECT_FALSE(made->outputs()[0].defined());
    const CreatorInput input = made->inputs()[0];
    EXPECT_FALSE(input.variable.defined());
    EXPECT_EQ(input.creator->label(), "exp");
    int operations = 0;
    for (; made; made = made->inputs()[0].creator) ++operations;
    EXPECT_GE(operations, 2);
}

TEST(Inspect, says_what_a_variable_is) {
    Variable x(Array::from<float>({1, 3}));
    x.set_name("x");
    const Variable y = exp(x);
    EXPECT_EQ(label(x), "x (2,), float32");
    EXPECT_EQ(graph_rank(x), 0);
    EXPECT_EQ(graph_rank(exp(y)), 2);
    EXPECT_EQ(creator_label(y), "exp");
    EXPECT_EQ(summary(y), "variable float32[2] on cpu, requires a gradient, made by exp");
    EXPECT_EQ(debug_print(x),
              "variable x float32[2] on cpu, requires a gradient\n- elements: mean=2, std=1\n- "
              "gradient: none");
    EXPECT_EQ(summary(Variable()), "variable without an array");
}

TEST(Inspect, copydata_converts) {
    const Variable to(Array::from<float>({1, 3})), from(Array::from<double>({5, 6}));
    copydata(to, from);
    EXPECT_EQ(to_string(to.array()), "float32[2] {5, 6}");
    EXPECT_THAT(message_of<ShapeError>([&] { copydata(to, Variable(Array::from<float>({1}))); }),
                HasSubstr("shapes must be equal"));
    const Variable none{Array()};
    copydata(none, from);
    EXPECT_EQ(to_string(none.type()), "float64[2]");
}

struct CountingHook : FunctionHook {
    int before = 0, after = 0;
    std::string name() const override { return "CountingHook"; }
    void backward_preprocess(const OpDef&, std::span<const Array>,
                             std::span<const Variable>) override {
        ++before;
    }
    void backward_postprocess(const OpDef&, std::span<const Array>,
                              std::span<const Variable>) override {
        ++after;
    }
};

TEST(NodeHook, is_called_for_its_operation_alone) {
    const Variable x(Array::from<float>({1, 2}));
    const Variable y = exp(x), z = sum(y * y);
    CountingHook hook;
    {
        const NodeHookScope scope(y, hook);
        grad({z}, {x});
        EXPECT_EQ(hook.before, 1);
        EXPECT_EQ(hook.after, 1);
    }
    grad({z}, {x});
    EXPECT_EQ(hook.before, 1);
    EXPECT_THAT(message_of<ValueError>([&] { NodeHookScope(x, hook); }),
                HasSubstr("was made by no operation"));
}

}  // namespace
}  // namespace catena
