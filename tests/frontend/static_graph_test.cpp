#include "frontend/static_graph/static_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <thread>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/op/variable_math.h"

namespace catena {
namespace {

using Doubles = std::vector<double>;

Array doubles(const Doubles& v) { return Array::from(v, Shape{int64_t(v.size())}); }
Doubles values(const Array& a) { return a.to_vector<double>(); }
State state_of(const Doubles& v) {
    State s(doubles(v));
    s.set_name("w");
    return s;
}
Parameter parameter_of(const Doubles& v) { return Parameter(doubles(v), "w"); }

void expect_near(const Array& a, const Array& b, double tolerance = 1e-12) {
    ASSERT_EQ(a.shape(), b.shape());
    Doubles x = values(a), y = values(b);
    for (size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(x[i], y[i], tolerance * (1 + std::abs(y[i]))) << "at " << i;
}

struct NowAndOld {
    Variable now, old;
};

class StaticGraphTest : public testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
};

TEST_F(StaticGraphTest, every_call_is_compiled_with_the_results_of_the_plain_function) {
    auto f = static_graph([](Variable x) { return exp(x) * 2.0 + x; });
    for (int i = 0; i < 4; ++i) {
        Variable x(doubles({0.1 * i, -1, 2}));
        expect_near(f(x).array(), (exp(x) * 2.0 + x).array());
    }
    StaticGraphStatistics s = f.statistics();
    EXPECT_EQ(s.eager_calls, 0);
    EXPECT_EQ(s.compiled_calls, 4);
    EXPECT_EQ(s.followed_calls, 4);
    EXPECT_EQ(s.programs, 1);
}

TEST_F(StaticGraphTest, backward_outside_a_forward_region_gives_the_eager_gradients) {
    Parameter w = parameter_of({2, 3});
    auto body = [&](Variable x) { return tanh(x * w) * x; };
    auto f = static_graph(body);
    for (int i = 0; i < 4; ++i) {
        Array start = doubles({1, 0.5});
        Variable x(doubles({0.3 * i, 0.7})), x2(x.array());
        Variable y = f(x);
        y.set_grad(start);
        y.backward();
        Array gw = w.grad();
        w.cleargrad();
        Variable e = body(x2);
        e.set_grad(start);
        e.backward();
        expect_near(y.array(), e.array());
        expect_near(x.grad(), x2.grad());
        expect_near(gw, w.grad());
        w.cleargrad();
    }
}

TEST_F(StaticGraphTest, gradients_of_a_region_accumulate_and_flow_further_back) {
    Parameter w = parameter_of({2, 3});
    auto f = static_graph([&](Variable x) { return x * w; });
    for (int i = 0; i < 3; ++i) {
        w.cleargrad();
        Variable x(doubles({1, 2}));
        Variable y = f(x * 3.0) + f(x);
        y.set_grad(doubles({1, 1}));
        y.backward();
        EXPECT_EQ(values(w.grad()), (Doubles{4, 8}));
        EXPECT_EQ(values(x.grad()), (Doubles{8, 12}));
    }
}

TEST_F(StaticGraphTest, two_calls_before_one_backward_have_activations_of_their_own) {
    auto f = static_graph([](Variable x) { return x * x; });
    f(Variable(doubles({1})));
    Variable a(doubles({2})), b(doubles({5}));
    Variable ya = f(a), yb = f(b);
    ya.backward();
    yb.backward();
    EXPECT_EQ(values(a.grad()), Doubles{4});
    EXPECT_EQ(values(b.grad()), Doubles{10});
}

TEST_F(StaticGraphTest, a_second_backward_and_double_backward_work) {
    auto f = static_graph([](Variable x) { return x * x * x; });
    f(Variable(doubles({1})));
    Variable x(doubles({2}));
    Variable y = f(x);
    y.backward();
    y.backward();
    EXPECT_EQ(values(x.grad()), Doubles{24});
    Variables g = grad(std::span(&y, 1), std::span(&x, 1), {}, {.enable_double_backprop = true});
    EXPECT_EQ(values(grad(g, std::span(&x, 1))[0].array()), Doubles{12});
}

struct Step {
    Parameter w = parameter_of({2, -1});
    Cell rate{0.1};
    Variable operator()(const Variable& x) {
        Variable d = x * w - 1.0;
        Variable loss = d * d;
        w.cleargrad();
        loss.set_grad(Array::full(loss.type(), 1));
        loss.backward();
        assign(w, w - w.grad_variable() * rate);
        return loss;
    }
};

TEST_F(StaticGraphTest, a_whole_step_updates_parameters_as_eager_does) {
    Step eager, compiled;
    auto step = static_graph(std::ref(compiled));
    for (int i = 0; i < 6; ++i) {
        if (i == 3)
            eager.rate = compiled.rate =
                0.02;  // A cell is read at every call, nothing is recompiled.
        Array x = doubles({1.0 + i, 0.5});
        expect_near(step(x).array(), eager(x).array());
        expect_near(compiled.w.array(), eager.w.array());
    }
    EXPECT_EQ(step.statistics().programs, 1);
}

TEST_F(StaticGraphTest, a_gradient_consumed_by_a_whole_step_is_an_error_to_read) {
    Step model;
    auto step = static_graph(std::ref(model));
    step(doubles({1, 1}));
    step(doubles({1, 1}));
    EXPECT_THROW(model.w.grad(), TraceError);

    Step kept;
    auto keeping = static_graph(std::ref(kept), {.keep_grads = true});
    keeping(doubles({1, 1}));
    keeping(doubles({1, 1}));
    EXPECT_TRUE(kept.w.grad().defined());
}

TEST_F(StaticGraphTest, loss_and_backward_in_the_region_leave_gradients_for_an_update_outside) {
    Parameter w = parameter_of({3});
    auto f = static_graph([&](Variable x) {
        Variable loss = x * w * w;
        w.cleargrad();
        loss.backward();
        return loss;
    });
    for (double x : {1.0, 2.0, 3.0}) {
        f(doubles({x}));
        EXPECT_EQ(values(w.grad()), Doubles{6 * x});
    }
}

TEST_F(StaticGraphTest, gradients_add_to_those_from_before_when_the_region_does_not_clear) {
    Parameter w = parameter_of({3});
    w.set_grad(doubles({100}));
    auto f = static_graph([&](Variable x) {
        Variable loss = x * w;
        loss.backward();
        return loss;
    });
    for (int i = 1; i <= 3; ++i) {
        f(doubles({2}));
        EXPECT_EQ(values(w.grad()), Doubles{100.0 + 2 * i});
    }
}

TEST_F(StaticGraphTest, another_batch_size_compiles_no_kernel) {
    auto f = static_graph([](Variable x) { return exp(x) * 2.0 + x; });
    for (int64_t n : {64, 64}) f(Variable(Array::full({Dtype::float32, {n, 8}}, 0.5)));
    int before = compiler().kernels_compiled();
    Variable ragged(Array::full({Dtype::float32, {37, 8}}, 0.25));
    expect_near(f(ragged).array(), (exp(ragged) * 2.0 + ragged).array(), 1e-6);
    EXPECT_EQ(compiler().kernels_compiled(), before);
    EXPECT_EQ(f.statistics().interpreted_calls, 0);
}

TEST_F(StaticGraphTest, another_dtype_rank_or_setting_is_another_program) {
    auto f = static_graph([](Variable x) { return config().train ? x * 2.0 : x * 3.0; });
    EXPECT_EQ(values(f(doubles({1})).array()), Doubles{2});
    EXPECT_EQ(values(f(doubles({1})).array()), Doubles{2});
    {
        auto test = using_config(&Config::train, false);
        EXPECT_EQ(values(f(doubles({1})).array()), Doubles{3});
        EXPECT_EQ(values(f(doubles({1})).array()), Doubles{3});
    }
    EXPECT_EQ(f(Array::from<float>({1})).dtype(), Dtype::float32);
    EXPECT_EQ(f(Array::scalar(1.0)).rank(), 0);
    EXPECT_EQ(f.statistics().programs, 4);
    EXPECT_NE(f.explain().find("test float64[1]"), std::string::npos) << f.explain();
}

TEST_F(StaticGraphTest, paths_that_are_not_compiled_make_room_too) {
    auto f = static_graph([](Variable x) { return exp(x) * 2.0 + x; },
                          {.compile_mode = CompileMode::later, .cache_bytes = 20000});
    for (int64_t n = 1; n <= 60; ++n) f(Variable(Array::full({Dtype::float32, {n}}, 0.5)));
    EXPECT_GT(f.statistics().dropped, 30);
}

TEST_F(StaticGraphTest, programs_beyond_the_bound_make_room_and_come_back) {
    auto f = static_graph([](Variable x) { return exp(x) * 2.0 + x; }, {.cache_bytes = 1});
    for (int64_t n : {2, 3, 4, 2}) {
        Variable x(Array::full({Dtype::float64, {n}}, 0.25));
        for (int i = 0; i < 2; ++i) expect_near(f(x).array(), (exp(x) * 2.0 + x).array());
    }
    EXPECT_EQ(f.statistics().programs, 4) << "the first one was dropped and is made again";
    EXPECT_EQ(f.statistics().dropped, 3);
    EXPECT_EQ(f.statistics().interpreted_calls, 0);
    EXPECT_NE(f.explain().find("at most 1 bytes, 3 dropped"), std::string::npos) << f.explain();
}

TEST_F(StaticGraphTest, another_path_is_another_program_and_the_difference_is_named) {
    bool flipped = false;
    auto f = static_graph([&](Variable x) {
        if (flipped) return exp(x);
        return x * 2.0;
    });
    f(doubles({1}));
    EXPECT_EQ(values(f(doubles({1})).array()), Doubles{2});
    flipped = true;
    EXPECT_NEAR(f(doubles({1})).item<double>(), std::exp(1.0), 1e-12);
    flipped = false;
    EXPECT_EQ(values(f(doubles({1})).array()), Doubles{2});
    EXPECT_EQ(f.statistics().programs, 2) << "going back uses the first program";
    EXPECT_EQ(f.statistics().mismatches, 1);
    EXPECT_NE(f.explain().find("static_graph_test.cpp"), std::string::npos);
}

TEST_F(StaticGraphTest, a_whole_step_that_keeps_gradients_leaves_those_of_eager) {
    Step eager, audited;
    auto step = static_graph(std::ref(audited), {.keep_grads = true});
    for (int i = 0; i < 4; ++i) {
        step(doubles({1, 2}));
        eager(doubles({1, 2}));
        expect_near(audited.w.array(), eager.w.array());
        expect_near(audited.w.grad(), eager.w.grad());
    }
}

TEST_F(StaticGraphTest, host_numbers_that_change_are_numbers_of_the_program) {
    double factor = 2;
    auto f = static_graph([&](Variable x) { return x * factor; });
    f(doubles({1}));
    factor = 5;
    EXPECT_EQ(values(f(doubles({1})).array()), Doubles{5});
    EXPECT_EQ(f.statistics().programs, 1) << "a number is an argument, not a constant";
}

TEST_F(StaticGraphTest, a_callable_that_returns_a_reference_gives_a_value) {
    Variable last;
    auto f = static_graph([&](const Variable& x) -> const Variable& { return last = x * 2.0; });
    std::vector<Variable> all;
    auto g = static_graph([&](const Variable& x) -> std::vector<Variable>& {
        all = {x + 1.0, x};
        return all;
    });
    StaticFunction<Variable(Variable)> h =
        static_graph([&](const Variable& x) -> const Variable& { return last = x * 3.0; });
    for (double number : {1.0, 2.0}) {
        const Variable x = doubles({number});
        static_assert(std::is_same_v<decltype(f(x)), Variable>);
        EXPECT_EQ(values(f(x).array()), Doubles{2 * number});
        EXPECT_EQ(values(g(x)[0].array()), Doubles{number + 1});
        EXPECT_EQ(values(h(x).array()), Doubles{3 * number});
    }
}

TEST_F(StaticGraphTest, a_captured_array_is_read_and_a_replaced_one_is_seen) {
    Array table = doubles({10, 20});
    auto f = static_graph([&](Variable x) { return x * table; });
    f(doubles({1, 1}));
    EXPECT_EQ(values(f(doubles({1, 1})).array()), (Doubles{10, 20}));
    table = doubles({3, 4});
    EXPECT_EQ(values(f(doubles({1, 1})).array()), (Doubles{3, 4}));
}

TEST_F(StaticGraphTest, a_host_read_inside_cuts_the_program_or_is_an_error_with_the_line) {
    auto body = [](Variable x) {
        Variable y = x * 2.0;
        return y.item<double>() > 1 ? y * y : x;
    };
    auto f = static_graph(body);
    for (double x : {1.0, 0.25, 3.0, 0.5, 2.0})
        EXPECT_EQ(f(doubles({x})).item<double>(), body(doubles({x})).item<double>());
    EXPECT_EQ(f.statistics().cuts, 5);
    EXPECT_EQ(f.statistics().programs, 2) << "what both ways share, and the rest of one of them";
    auto whole = static_graph(body, {.breaks = false});
    try {
        whole(doubles({1}));
        FAIL() << "no error";
    } catch (const TraceError& e) {
        EXPECT_NE(std::string(e.what()).find("static_graph_test.cpp:"), std::string::npos)
            << e.what();
    }
}

Variable doubled(const Variable& x) { return x * 2.0; }

struct Parts {
    Variable sum, product;
    int count;
};

TEST_F(StaticGraphTest, arguments_and_results_nest) {
    auto f = static_graph([](const std::vector<Variable>& xs, std::pair<Variable, double> scaled) {
        return Parts{xs[0] + xs[1] + scaled.first * scaled.second, xs[0] * xs[1], 2};
    });
    for (int i = 0; i < 3; ++i) {
        std::vector<Variable> xs{Variable(doubles({1.0 + i})), Variable(doubles({2}))};
        Parts parts = f(xs, std::pair(Variable(doubles({10})), 0.5));
        EXPECT_EQ(values(parts.sum.array()), Doubles{8.0 + i});
        EXPECT_EQ(values(parts.product.array()), Doubles{2.0 + 2 * i});
        EXPECT_EQ(parts.count, 2);
    }
    std::vector<Variable> three(3, Variable(doubles({1})));
    f(three, std::pair(Variable(doubles({10})), 0.5));
    EXPECT_EQ(f.statistics().programs, 2) << "a longer list is another program";
}

TEST_F(StaticGraphTest, a_free_function_and_nested_regions_work) {
    auto inner = static_graph([](Variable x) { return x * 2.0; });
    auto outer = static_graph([&](Variable x) { return inner(x) + 1.0; });
    for (int i = 0; i < 3; ++i) EXPECT_EQ(values(outer(doubles({3})).array()), Doubles{7});
    EXPECT_EQ(inner.statistics().programs, 0) << "the inner region becomes part of the outer one";
    auto free_function = static_graph(doubled);
    free_function(doubles({3}));
    EXPECT_EQ(values(free_function(doubles({3})).array()), Doubles{6});
}

TEST_F(StaticGraphTest, a_region_of_a_link_is_that_link_and_one_of_a_moved_link_owns_it) {
    Linear link(3, 2);
    const Variable x(Array::full({Dtype::float32, {1, 3}}, 1.0));
    auto region = static_graph(link, "link");
    auto other = static_graph(link, StaticGraphOptions{.name = "other"});
    for (auto* each : {&region, &other}) {
        link.cleargrads();
        sum((*each)(x)).backward();
        ASSERT_TRUE(link.W.grad().defined());
        EXPECT_EQ(link.W.grad().to_vector<float>()[0], 1);
    }
    const std::vector<float> before = region(x).array().to_vector<float>();
    auto own = static_graph(Linear(link));
    link.W = link.W * 2;
    EXPECT_EQ(own(x).array().to_vector<float>(), before);
    EXPECT_FLOAT_EQ(region(x).array().to_vector<float>()[0], 2 * before[0]);
}

TEST_F(StaticGraphTest, a_list_of_results_is_as_long_as_this_call_makes_it) {
    auto f = static_graph([](const std::vector<Variable>& xs) {
        std::vector<Variable> ys;
        for (const Variable& x : xs) ys.push_back(x * 2.0);
        return ys;
    });
    for (size_t n : {2, 2, 3, 3, 1, 2}) {
        std::vector<Variable> xs;
        for (size_t i = 0; i < n; ++i) xs.emplace_back(doubles({double(i)}));
        std::vector<Variable> ys = f(xs);
        ASSERT_EQ(ys.size(), n);
        for (size_t i = 0; i < n; ++i) EXPECT_EQ(values(ys[i].array()), Doubles{2.0 * double(i)});
    }
}

TEST_F(StaticGraphTest, an_argument_returned_as_it_is_stays_the_same_variable) {
    auto f = static_graph([](Variable x) { return std::pair(x, x * 2.0); });
    Variable x(doubles({1}));
    f(x);
    EXPECT_EQ(f(x).first.body(), x.body());
}

TEST_F(StaticGraphTest, the_same_array_twice_is_another_program_than_two_arrays) {
    auto f = static_graph([](Variable a, Variable b) { return a * b; });
    Variable x(doubles({3})), y(doubles({4}));
    f(x, x);
    EXPECT_EQ(values(f(x, x).array()), Doubles{9});
    EXPECT_EQ(values(f(x, y).array()), Doubles{12});
}

TEST_F(StaticGraphTest, switched_off_it_is_the_plain_function) {
    auto off = using_config(&Config::use_static_graph, false);
    auto f = static_graph([](Variable x) { return x * 2.0; });
    f(doubles({1}));
    f(doubles({1}));
    EXPECT_EQ(f.statistics().eager_calls, 2);
    EXPECT_EQ(f.statistics().programs, 0);
}

TEST_F(StaticGraphTest, a_state_shared_with_another_handle_is_not_overwritten) {
    State s = state_of({1, 2});
    auto f = static_graph([&]() { assign(s, s * 2.0); });
    f();
    Array held = s.array();
    f();
    EXPECT_EQ(values(held), (Doubles{2, 4}));
    EXPECT_EQ(values(s.array()), (Doubles{4, 8}));
}

TEST_F(StaticGraphTest, what_a_state_held_before_can_be_a_result_or_go_elsewhere) {
    State now = state_of({1, 2, 3}), before = state_of({0, 0, 0});
    auto step = static_graph([&](const Variable& x) {
        Variable old(now.array());
        assign(before, old);
        assign(now, now * 2.0 + x);
        return NowAndOld{now * 1.0, old};
    });
    for (int i = 0; i < 5; ++i) {
        const Doubles expected = values(now.array());
        const NowAndOld got = step(Variable(doubles({1, 1, 1}), false));
        EXPECT_EQ(values(got.old.array()), expected) << i;
        EXPECT_EQ(values(before.array()), expected) << i;
        EXPECT_EQ(values(got.now.array()), values(now.array())) << i;
        for (size_t k = 0; k < 3; ++k) EXPECT_EQ(values(now.array())[k], 2 * expected[k] + 1) << i;
    }
}

TEST_F(StaticGraphTest, what_a_state_held_before_is_not_overwritten_under_a_result) {
    State now = state_of({1, 2, 3});
    auto step = static_graph([&](const Variable& x) {
        Variable old(now.array());
        assign(now, now * 2.0 + x);
        return old;
    });
    for (int i = 0; i < 5; ++i) {
        const Doubles expected = values(now.array());
        EXPECT_EQ(values(step(Variable(doubles({1, 1, 1}), false)).array()), expected) << i;
        for (size_t k = 0; k < 3; ++k) EXPECT_EQ(values(now.array())[k], 2 * expected[k] + 1) << i;
    }
}

TEST_F(StaticGraphTest, random_numbers_first_drawn_inside_are_other_ones_at_every_call) {
    // A new thread, which has not drawn any.
    std::thread([] {
        auto f = static_graph([](const Variable& x) { return dropout(x, 0.5); },
                              {.audit = Audit::never});
        std::set<Doubles> seen;
        for (int i = 0; i < 4; ++i)
            seen.insert(values(f(Variable(doubles(Doubles(40, 1.0)), false)).array()));
        EXPECT_EQ(seen.size(), 4u);
        EXPECT_EQ(f.statistics().programs, 1);
    }).join();
}

TEST_F(StaticGraphTest, activations_are_freed_when_backward_has_run_or_the_result_dies) {
    auto f = static_graph([](Variable x) { return exp(exp(x) * x); });
    Variable x(Array::full({Dtype::float32, {1 << 18}}, 0.1));
    for (int i = 0; i < 2; ++i) f(x);
    size_t before = cpu_memory_statistics().bytes_in_use;
    {
        Variable y = f(x);
        EXPECT_GE(cpu_memory_statistics().bytes_in_use, before + (size_t(2) << 20))
            << "y and an activation";
    }
    EXPECT_EQ(cpu_memory_statistics().bytes_in_use, before);
    Variable y = f(x);
    y.set_grad(Array::full(y.type(), 1));
    y.backward();
    x.cleargrad();
    EXPECT_LE(cpu_memory_statistics().bytes_in_use, before + (size_t(1) << 20) + 4096)
        << "only y is left";
}

TEST_F(StaticGraphTest, steady_state_asks_the_system_for_no_memory) {
    Step model;
    auto step = static_graph(std::ref(model), {.audit = Audit::never});
    Array x = doubles({1, 2});
    for (int i = 0; i < 5; ++i) step(x);
    size_t before = cpu_memory_statistics().system_allocations;
    for (int i = 0; i < 100; ++i) step(x);
    EXPECT_EQ(cpu_memory_statistics().system_allocations, before);
}

}  // namespace
}  // namespace catena
