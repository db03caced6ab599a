#include <deque>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/op/hooks.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

using Doubles = std::vector<double>;

Variable leaf(std::initializer_list<double> values) {
    return Variable(Array::from<double>(values));
}
Variable scalar(double value) { return Variable(Array::scalar(value)); }
Doubles values(const Array& a) { return a.to_vector<double>(); }

TEST(Backward, gradients_of_a_product_and_a_sum_reach_both_leaves) {
    Variable x = leaf({1, 2, 3}), y = leaf({4, 5, 6});
    Variable z = x * y + x;
    z.set_grad(Array::from<double>({1, 10, 100}));
    z.backward();
    EXPECT_EQ(values(x.grad()), (Doubles{5, 60, 700}));
    EXPECT_EQ(values(y.grad()), (Doubles{1, 20, 300}));
}

TEST(Backward, a_variable_used_twice_gets_the_sum) {
    Variable x = scalar(3);
    (x * x).backward();
    EXPECT_EQ(values(x.grad()), Doubles{6});
}

TEST(Backward, leaf_gradients_accumulate_until_cleared) {
    Variable x = scalar(3);
    (x * 2.0).backward();
    (x * 2.0).backward();
    EXPECT_EQ(values(x.grad()), Doubles{4});
    x.cleargrad();
    EXPECT_FALSE(x.grad().defined());
    (x * 2.0).backward();
    EXPECT_EQ(values(x.grad()), Doubles{2});
}

TEST(Backward, loss_scale_multiplies_the_automatic_start) {
    Variable x = scalar(3);
    (x * 2.0).backward({.loss_scale = 8});
    EXPECT_EQ(values(x.grad()), Doubles{16});
}

TEST(Backward, more_than_one_element_needs_a_gradient) {
    Variable y = leaf({1, 2}) * 2.0;
    try {
        y.backward();
        FAIL() << "no error";
    } catch (const ValueError& e) {
        EXPECT_NE(std::string(e.what()).find("float64[2] needs a gradient set first"),
                  std::string::npos)
            << e.what();
    }
}

TEST(Backward, intermediate_gradients_are_kept_only_on_request) {
    Variable x = scalar(3);
    Variable h = x * x;
    Variable y = h * 2.0;
    y.backward();
    EXPECT_FALSE(h.grad().defined());
    y.backward({.retain_grad = true});
    EXPECT_EQ(values(h.grad()), Doubles{2});
}

TEST(Backward, broadcast_inputs_get_summed_gradients) {
    Variable x(Array::from(Doubles{1, 2, 3, 4, 5, 6}, {2, 3})), b = leaf({1, 1, 1});
    Variable y = x * b;
    y.set_grad(Array::full(y.type(), 1));
    y.backward();
    EXPECT_EQ(values(b.grad()), (Doubles{5, 7, 9}));
    EXPECT_EQ(b.grad().shape(), Shape{3});
}

TEST(Backward, no_graph_is_recorded_in_no_backprop_mode) {
    Variable x = scalar(3);
    auto mode = no_backprop_mode();
    Variable y = x * x;
    EXPECT_FALSE(y.requires_grad());
    EXPECT_THROW(y.backward(), ValueError);
    EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, unchain_cuts_the_graph) {
    Variable x = scalar(3);
    Variable h = x * x;
    h.unchain();
    (h * 2.0).backward();
    EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, unchain_cuts_the_graph_for_what_used_the_variable_before) {
    Variable x = scalar(3);
    Variable h = x * x, y = h * 2.0;
    h.unchain();
    y.backward();
    EXPECT_FALSE(x.grad().defined());
    EXPECT_EQ(values(h.grad()), Doubles{2});
}

TEST(Backward, gradients_of_an_unchained_variable_can_be_asked_for_and_differentiated) {
    Variable x = scalar(3);
    Variable h = x * 2.0, y = h * h * h;
    h.unchain();
    Variables first =
        grad(std::span(&y, 1), std::span(&h, 1), {}, {.enable_double_backprop = true});
    EXPECT_EQ(values(first[0].array()), Doubles{108});
    EXPECT_EQ(values(grad(first, std::span(&h, 1))[0].array()), Doubles{36});
    EXPECT_FALSE(grad(std::span(&y, 1), std::span(&x, 1))[0].defined());
}

TEST(Backward, unchaining_one_of_two_results_leaves_the_other) {
    Variable x = leaf({1, 2, 3, 4});
    Variables halves = split_axis(x, 2, 0);
    Variable y = sum(halves[0] * 2.0) + sum(halves[1] * 5.0);
    halves[0].unchain();
    y.backward({.retain_grad = true});
    EXPECT_EQ(values(x.grad()), (Doubles{0, 0, 5, 5}));
    EXPECT_EQ(values(halves[0].grad()), (Doubles{2, 2}));
    EXPECT_EQ(values(halves[1].grad()), (Doubles{5, 5}));
    x.cleargrad();
    halves[1].unchain();
    y.backward();
    EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, unchain_frees_what_lies_below) {
    Variable x = scalar(3);
    Variable h = x * x, y = h * 2.0;
    h.unchain();
    EXPECT_EQ(x.body()->use_count(), 1u);
}

TEST(Backward, a_long_chain_of_unchained_variables_runs_and_is_freed) {
    Variable x = scalar(1), y = x;
    for (int i = 0; i < 200000; ++i) {
        Variable next = y * 1.0;
        if (i % 2) y.unchain();
        y = next;
    }
    y.backward();
    EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, unchain_backward_holds_for_what_used_the_variables_before) {
    Variable x = scalar(3);
    Variable h = x * x, other = h * 5.0, y = h * 1.0;
    y.unchain_backward();
    other.backward();
    EXPECT_FALSE(x.grad().defined());
    EXPECT_EQ(values(h.grad()), Doubles{5});
    EXPECT_EQ(x.body()->use_count(), 1u);
}

TEST(Backward, unchain_backward_forgets_every_creator) {
    Variable x = scalar(3);
    Variable h = x * x, k = h * h, y = k * 1.0;
    y.unchain_backward();
    EXPECT_FALSE(k.body()->creator);
    EXPECT_FALSE(h.body()->creator);
    y.backward();
    EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, a_graph_deeper_than_any_stack_runs_and_is_freed) {
    Variable x = scalar(1);
    {
        Variable y = x;
        for (int i = 0; i < 200000; ++i) y = y * 1.0;
        y.backward();
    }
    EXPECT_EQ(values(x.grad()), Doubles{1});
}

TEST(Backward, a_wide_diamond_runs_each_node_once) {
    struct Counter : FunctionHook {
        int backward = 0;
        std::string name() const override { return "counter"; }
        void backward_preprocess(const OpDef&, std::span<const Array>,
                                 std::span<const Variable>) override {
            ++backward;
        }
    } counter;
    Variable x = scalar(1), h = x;
    for (int i = 0; i < 30; ++i) h = h + h;
    FunctionHookScope scope(counter);
    h.backward();
    EXPECT_EQ(counter.backward, 30);
    EXPECT_EQ(values(x.grad()), Doubles{double(1 << 30)});
}

TEST(Grad, second_and_third_derivatives_of_a_cube) {
    Variable x = scalar(2), y = x * x * x;
    Variables g = grad(std::span(&y, 1), std::span(&x, 1), {}, {.enable_double_backprop = true});
    EXPECT_EQ(values(g[0].array()), Doubles{12});
    Variables gg = grad(g, std::span(&x, 1), {}, {.enable_double_backprop = true});
    EXPECT_EQ(values(gg[0].array()), Doubles{12});
    Variables ggg = grad(gg, std::span(&x, 1));
    EXPECT_EQ(values(ggg[0].array()), Doubles{6});
    EXPECT_FALSE(x.grad().defined()) << "grad() must not touch .grad";
}

TEST(Grad, towards_an_intermediate_variable) {
    Variable x = scalar(2), h = x * x, y = h * h;
    Variables g = grad(std::span(&y, 1), std::span(&h, 1));
    EXPECT_EQ(values(g[0].array()), Doubles{8});
}

TEST(Grad, an_unreachable_input_has_no_gradient) {
    Variable x = scalar(2), other = scalar(1), y = x * x;
    EXPECT_FALSE(grad(std::span(&y, 1), std::span(&other, 1))[0].defined());
}

TEST(Grad, only_the_part_between_outputs_and_inputs_runs) {
    struct Names : FunctionHook {
        std::string seen;
        std::string name() const override { return "names"; }
        void backward_preprocess(const OpDef& op, std::span<const Array>,
                                 std::span<const Variable>) override {
            seen += op.name + " ";
        }
    } names;
    Variable x = scalar(2), w = scalar(3);
    Variable y = exp(w) * (x * x);
    FunctionHookScope scope(names);
    grad(std::span(&y, 1), std::span(&x, 1));
    EXPECT_EQ(names.seen, "multiply multiply ");
}

TEST(Graph, keeps_only_what_gradients_read) {
    reset_peak_memory();
    Variable x(Array::zeros({Dtype::float32, {1024, 1024}}));
    size_t before = cpu_memory_statistics().bytes_in_use;
    Variable y = x;
    for (int i = 0; i < 8; ++i) y = y + 1.0;  // The gradient of a sum reads nothing.
    EXPECT_LE(cpu_memory_statistics().bytes_in_use, before + (size_t(4) << 20) + 4096);
}

TEST(Graph, hooks_may_be_added_while_hooks_are_called) {
    struct Count : FunctionHook {
        explicit Count(std::string name) : name_(std::move(name)) {}
        std::string name() const override { return name_; }
        void forward_preprocess(const OpDef&, std::span<const Variable* const>) override {
            ++before;
        }
        void forward_postprocess(const OpDef&, std::span<const Variable* const>) override {
            ++after;
        }
        int before = 0, after = 0;
        std::string name_;
    };
    struct Adding : Count {
        using Count::Count;
        void forward_preprocess(const OpDef& op, std::span<const Variable* const> inputs) override {
            Count::forward_preprocess(op, inputs);
            for (int i = 0; i < 40; ++i) {
                others.push_back(std::make_unique<Count>("other " + std::to_string(others.size())));
                scopes.push_back(std::make_unique<FunctionHookScope>(*others.back()));
            }
        }
        std::vector<std::unique_ptr<Count>> others;
        std::vector<std::unique_ptr<FunctionHookScope>> scopes;
    } adding("adding");
    Count last("last");
    {
        FunctionHookScope first_scope(adding), last_scope(last);
        exp(scalar(1));
        while (!adding.scopes.empty()) adding.scopes.pop_back();
    }
    EXPECT_EQ(adding.before + adding.after, 2);
    EXPECT_EQ(last.before + last.after, 2);
    for (const auto& other : adding.others) EXPECT_EQ(other->before + other->after, 0);
}

TEST(Graph, a_hook_name_is_taken_once) {
    struct Hook : FunctionHook {
        std::string name() const override { return "same"; }
    } a, b;
    FunctionHookScope scope(a);
    EXPECT_THROW(FunctionHookScope second(b), ValueError);
}

TEST(Graph, a_hook_may_add_hooks_while_it_is_called) {
    struct Hook : FunctionHook {
        explicit Hook(std::string name) : own_name(std::move(name)) {}
        std::string name() const override { return own_name; }
        void backward_preprocess(const OpDef&, std::span<const Array>,
                                 std::span<const Variable>) override {
            ++calls;
            if (when_called) when_called();
        }
        std::string own_name;
        std::function<void()> when_called;
        int calls = 0;
    };
    Hook first("first"), second("second");
    std::deque<Hook> added;
    std::deque<FunctionHookScope> scopes;
    first.when_called = [&] {
        for (int i = 0; i < 64; ++i) scopes.emplace_back(added.emplace_back(std::to_string(i)));
    };
    FunctionHookScope with_first(first), with_second(second);
    Variable x = scalar(2), y = x * x;
    y.backward();
    EXPECT_EQ(first.calls, 1);
    EXPECT_EQ(second.calls, 1);
    EXPECT_EQ(added.back().calls, 0) << "it is called from the next operation on";
}

TEST(Graph, a_gradient_of_another_shape_is_refused) {
    Variable x = leaf({1, 2, 3});
    EXPECT_THROW(x.set_grad(Array::from<double>({1, 2})), ShapeError);
    EXPECT_THROW(x.set_grad(Array::from<float>({1, 2, 3})), DtypeError);
}

TEST(Graph, debug_mode_names_the_op_that_made_a_nan) {
    auto debug = using_config(&Config::debug, true);
    try {
        log(leaf({-1}));
        FAIL() << "no error";
    } catch (const ValueError& e) {
        EXPECT_NE(std::string(e.what()).find("log: NaN"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("autograd.cpp:"), std::string::npos) << e.what();
    }
}

TEST(Graph, an_input_without_an_array_is_an_error_that_names_the_op) {
    try {
        exp(Variable());
        FAIL() << "no error";
    } catch (const ValueError& e) {
        EXPECT_NE(std::string(e.what()).find("exp: input 0 holds no array"), std::string::npos)
            << e.what();
    }
}

TEST(Assign, arrays_read_before_keep_their_elements) {
    Variable state = leaf({1, 2});
    state.body()->is_state = true;
    Array before = state.array();
    assign(state, leaf({3, 4}));
    EXPECT_EQ(values(before), (Doubles{1, 2}));
    EXPECT_EQ(values(state.array()), (Doubles{3, 4}));
    EXPECT_THROW(assign(state, leaf({1, 2, 3})), ShapeError);
}

TEST(Assign, a_gradient_uses_the_value_of_its_time) {
    Variable w = scalar(3);
    w.body()->is_state = true;
    bind_state(*w.body(), w.array());
    Variable x = scalar(2), y = x * w;
    assign(w, scalar(100));
    y.backward();
    EXPECT_EQ(values(x.grad()), Doubles{3});
    EXPECT_EQ(values(w.grad()), Doubles{2});
}

TEST(Meta, operations_on_the_meta_device_have_types_and_no_memory) {
    DeviceScope scope(meta_device());
    size_t before = cpu_memory_statistics().bytes_in_use;
    Variable x(Array::empty({Dtype::float32, {1000, 1000}}));
    Variable y = exp(x * x);
    EXPECT_EQ(y.shape(), (Shape{1000, 1000}));
    EXPECT_EQ(cpu_memory_statistics().bytes_in_use, before);
    EXPECT_THROW(y.array().to_vector<float>(), DeviceError);
}

}  // namespace
}  // namespace catena
