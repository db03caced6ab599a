// The graph of a region's results as code outside sees it: unchained in parts, differentiated twice
// or towards one of several results, from inside another region. Eager code's nodes are then made
// once more.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/ops/define/composite.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using VariableList = std::vector<Variable>;

Variable constant(const Variable& v) { return Variable(v.array(), false); }

TEST(CaptureGraph, unchaining_one_result_leaves_the_others_their_graph) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x, const Variable& w) {
            const Variable shared = tanh(x * w);
            return VariableList{shared * x, exp(shared), w * w};
        });
        for (int call = 0; call < 4; ++call) {
            side.call(call);
            const Variable x = doubles({0.5, -1, 2}), w = doubles({1, 0.25, -0.5});
            VariableList y = f(x, w);
            y[size_t(call) % 3].unchain_backward();
            (sum(y[0]) + sum(y[1]) * 2.0 + sum(y[2]) * 3.0).backward();
            side.saw("x", x.grad());
            side.saw_gradient("w", w);
        }
        f.expect_programs(1);
    });
}

// Their gradient asks which element of x equals y. Eager kernels round x, which is computed once
// more for the graph, in another way than the program that has computed the y that is still alive.
TEST(CaptureGraph, largest_elements_are_found_whichever_code_has_computed_them) {
    std::vector<float> values(32 * 64);
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.37f * float(i * i % 1001));
    const Variable x(Array::from(values, {32, 64}));
    auto f = static_graph(
        [](const Variable& v) {
            const Variable h = softmax(v * 2.0);
            return std::tuple(h, max(h, {0}), min(h, {0}));
        },
        "extremes");
    for (int call = 0; call < 3; ++call) {
        const auto [h, most, least] = f(x);
        const Variable g = grad({sum(most) + sum(least) * 2.0}, {h})[0];
        EXPECT_EQ(sum(g).item<float>(), 3 * 64) << call;
    }
}

/// The features h get a loss of their own, whose backward stands inside.
std::pair<Variable, Variable> with_inner_loss(const Variable& x, const Variable& a,
                                              const Variable& b) {
    const Variable h = tanh(x * a);
    sum(h * h * b).backward();
    return {sum(square(h * b + x)), h};
}

TEST(CaptureGraph, a_result_of_a_backward_inside_is_on_the_way_of_others) {
    for (const int what : {0, 1, 2, 3}) {
        SCOPED_TRACE(what);
        expect_same([&](Side& side) {
            const Variable a = doubles({0.5, -1, 2}), b = doubles({1, 0.25, -0.5});
            auto f = side.region([&](const Variable& x) { return with_inner_loss(x, a, b); });
            for (int call = 0; call < 4; ++call) {
                side.call(call);
                const Variable x = doubles({0.1, 0.2, -0.7});
                auto [loss, h] = f(x);
                if (what == 0) side.saw("towards h", grad({loss}, {h})[0].array());
                if (what == 1) {
                    loss.backward({.retain_grad = true});
                    side.saw("h", h.grad());
                }
                if (what == 2) {
                    h.unchain();
                    loss.backward();
                }
                if (what == 3) loss.backward();
                for (const Variable& v : {x, a, b}) side.saw("gradient", v.grad());
            }
        });
    }
}

// The graph between them was not kept: an error, and not that there is no gradient.
TEST(CaptureGraph, a_gradient_between_results_of_a_backward_inside_is_an_error) {
    const Variable a = doubles({0.5, -1, 2});
    auto f = static_graph(
        [&](const Variable& x) {
            const Variable h = tanh(x * a), loss = sum(h * h);
            loss.backward();
            return std::pair(loss, h);
        },
        "inner");
    for (int call = 0; call < 3; ++call) {
        const Variable x = doubles({0.1, 0.2, -0.7});
        auto [loss, h] = f(x);
        EXPECT_THROW(grad({loss}, {h}), TraceError) << call;
        EXPECT_THROW(grad({h + a}, {a}), TraceError) << "the way over h would be missing";
        EXPECT_THROW(grad({sum(h)}, {x}), TraceError) << call;
        EXPECT_EQ(grad({loss}, {loss})[0].item<double>(), 1);
        EXPECT_EQ(grad({sum(a * 2.0)}, {a})[0].array().to_vector<double>(),
                  std::vector<double>(3, 2.0));
    }
}

// A critic with a gradient penalty: grad() inside kept the graph, since its result is to be
// differentiated.
TEST(CaptureGraph, a_result_that_was_differentiated_with_a_graph_has_one) {
    expect_same([](Side& side) {
        const Variable a = doubles({0.5, -1, 2}), b = doubles({1, 0.25, -0.5});
        auto critic = side.region([&](const Variable& x) {
            const Variable y = tanh(x * a) * b;
            const Variable g = grad({sum(y)}, {x}, {}, {.enable_double_backprop = true})[0];
            return std::tuple(sum(y), sum(g * g), y);
        });
        for (int call = 0; call < 4; ++call) {
            side.call(call);
            a.cleargrad(), b.cleargrad();
            const Variable x = doubles({0.1, 0.2, -0.7});
            auto [score, penalty, y] = critic(x);
            (score + penalty * 10.0).backward();
            for (const Variable& v : {x, a, b}) side.saw("gradient", v.grad());
        }
    });
}

TEST(CaptureGraph, truncated_backward_through_a_region_per_time_step) {
    expect_same([](Side& side) {
        RecurrentNet net;
        SGD sgd(0.05);
        sgd.setup(net);
        auto step = side.region([&](const Variable& x) { return net(x); });
        Variable loss;
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            const Variable y = step(batch(i, 2, 3));
            loss = loss.defined() ? loss + sum(square(y)) : sum(square(y));
            if (i % 3 != 2) continue;
            net.cleargrads();
            loss.backward();
            if (i % 2)
                loss.unchain_backward();  // What c was computed from stays, as c is no part of the
                                          // loss.
            sgd.update();
            side.saw("net", net);
            side.saw("c", net.lstm.c());
            loss = Variable();
        }
        // The first step, h with and without a history, and steps of earlier losses, whose y has no
        // gradient the second time.
        step.expect_programs(1, 4);
    });
}

TEST(CaptureGraph, one_variable_of_a_region_unchained_after_others_used_it) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) {
            const Variable h = x * x;
            return VariableList{h, exp(h) * x};
        });
        for (int call = 0; call < 3; ++call) {
            side.call(call);
            const Variable x = doubles({0.5, -1});
            VariableList y = f(x);
            const Variable loss = sum(y[1]) + sum(y[0] * 3.0);
            y[0].unchain();
            loss.backward();
            side.saw_gradient("x", x);  // Through exp(h) * x by x alone.
            side.saw_gradient("h", y[0]);
        }
    });
}

TEST(CaptureGraph, second_gradients_keep_what_the_code_cut) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) {
            Variable quiet;
            {
                auto no_graph = no_backprop_mode();
                quiet = x * x;
            }
            return x * x * constant(x) + tanh(x) * quiet;
        });
        for (int call = 0; call < 3; ++call) {
            side.call(call);
            const Variable x = doubles({0.5, -1, 2});
            const Variable y = f(x);
            const Variable g =
                grad(VariableList{y}, VariableList{x}, {}, {.enable_double_backprop = true})[0];
            side.saw("first", g);
            sum(g * g).backward();
            side.saw_gradient("second", x);
        }
        f.expect_programs(1);
    });
}

TEST(CaptureGraph, two_variables_of_one_array_are_told_apart_when_differentiated_twice) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& a, const Variable& b) { return a * a * b; });
        for (int call = 0; call < 3; ++call) {
            side.call(call);
            const Array shared = Array::from({1.5, -2.0});
            const Variable a(shared), b(shared);
            const Variable y = f(a, b);
            VariableList g;
            for (const Variable& v :
                 grad(VariableList{y}, VariableList{a, b}, {}, {.enable_double_backprop = true}))
                g.push_back(v);
            sum(g[0] * g[1]).backward();
            side.saw_gradient("a", a);
            side.saw_gradient("b", b);
        }
    });
}

TEST(CaptureGraph, the_gradient_of_a_result_that_another_was_computed_from) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) {
            const Variable h = tanh(x);
            return VariableList{h, h * h * x};
        });
        for (int call = 0; call < 4; ++call) {
            side.call(call);
            const Variable x = doubles({0.5, -1, 2});
            VariableList y = f(x);
            const Variable loss = sum(y[0] * 2.0) + sum(y[1]);
            if (call % 2) {
                side.saw("h", grad(VariableList{loss}, VariableList{y[0]})[0]);
            } else {
                loss.backward({.retain_grad = true});
                side.saw_gradient("h", y[0]);
                side.saw_gradient("y", y[1]);
                side.saw_gradient("x", x);
            }
        }
    });
}

TEST(CaptureGraph, a_backward_in_one_region_goes_through_another) {
    expect_same([](Side& side) {
        Mlp front, back;
        SGD sgd(0.1);
        Chain both;
        both.add_children({{"front", front}, {"back", back}});
        sgd.setup(both);
        auto first = side.region([&](const Variable& x) { return front(x); },
                                 {.name = "first", .keep_grads = true});
        auto second = side.region(
            [&](const Variable& h) {
                const Variable loss = sum(square(back(h)));
                learn(both, sgd, loss);
                return loss;
            },
            {.name = "second", .keep_grads = true});
        for (int call = 0; call < 5; ++call) {
            side.call(call);
            side.saw("loss", second(first(batch(call, 4, 3))));
            side.saw("both", both);
        }
        second.expect_programs(1, 2);
    });
}

TEST(CaptureGraph, unchaining_a_loss_that_a_region_took_the_gradient_of_goes_on_below) {
    expect_same([](Side& side) {
        RecurrentNet net;
        auto forward = side.region([&](const Variable& x) { return net(x); }, {.name = "forward"});
        auto learn_from = side.region(
            [&](const Variable& y) {
                const Variable loss = sum(square(y));
                net.cleargrads();
                loss.backward();
                return loss;
            },
            {.name = "learn", .keep_grads = true});
        for (int call = 0; call < 6; ++call) {
            side.call(call);
            learn_from(forward(batch(call, 2, 3))).unchain_backward();
            side.saw("net", net);
        }
    });
}

TEST(CaptureGraph, a_composite_without_operations_may_be_a_result) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) {
            VariableList parts;
            for (const Variable& part : split_axis(x, 1, 0)) parts.push_back(part);
            for (const Variable& part : split_axis(x, 1, 0)) parts.push_back(part * 2.0);
            return parts;
        });
        for (int call = 0; call < 3; ++call) {
            side.call(call);
            const Variable x = doubles({0.5, -1});
            VariableList parts = f(x);
            (sum(parts[0]) + sum(parts[1])).backward();
            side.saw_gradient("x", x);
        }
    });
}

/// x itself, whose gradient is multiplied by an attribute that nothing else reads.
const OpDef& op_scaled_gradient = define_composite({
    .name = "test_scaled_gradient",
    .differentiable = true,
    .type = [](const TypeCall& c) { return Types{c.inputs[0]}; },
    .kernel = [](const KernelCall& c) { copy_elements(c.inputs[0], c.outputs[0]); },
    .body = [](std::span<const Variable> x, const Attributes&,
               std::span<const Scalar>) { return Variables{x[0] * 1.0}; },
    .gradient =
        [](const GradientCall& g) {
            return Variables{g.gy() * double(g.attributes().integer("factor"))};
        },
});

TEST(CaptureGraph, an_attribute_that_only_the_gradient_of_a_composite_reads) {
    expect_same([](Side& side) {
        int64_t factor = 1;
        auto f = side.region([&](const Variable& x) {
            const Variable* input = &x;
            return apply(op_scaled_gradient, {&input, 1}, current_location(),
                         {{"factor", factor}})[0] *
                   2.0;
        });
        for (int call = 0; call < 6; ++call) {
            side.call(call);
            factor = call % 3;
            const Variable x = doubles({0.5, -1});
            sum(f(x)).backward();
            side.saw_gradient("x", x);
        }
    });
}

int kernel_runs = 0;

/// 2 x, never fused.
const OpDef& op_counted_double = register_op({
    .name = "test_counted_double",
    .input_count = 1,
    .differentiable = true,
    .type = [](const TypeCall& c) { return Types{c.inputs[0]}; },
    .kernel =
        [](const KernelCall& c) {
            ++kernel_runs;
            std::ranges::transform(c.inputs[0].to_vector<double>(), c.outputs[0].to_fill<double>(),
                                   [](double v) { return 2 * v; });
        },
    .gradient = [](const GradientCall& g) { return Variables{g.gy() * 2.0}; },
});

TEST(CaptureGraph, cutting_the_history_of_a_loss_computes_nothing_again) {
    expect_same([](Side& side) {
        Variable state;
        auto f = side.region([&](const Variable& x, const Variable& w) {
            const Variable* input = &x;
            state = apply(op_counted_double, {&input, 1}, current_location())[0] * w;
            return sum(square(state * w));
        });
        const Variable x = doubles({0.5, -1}), w = doubles({3, 0.25});
        for (int call = 0; call < 4; ++call) {
            side.call(call);
            w.cleargrad();
            const Variable loss = f(x, w);
            loss.backward();
            const int before = kernel_runs;
            loss.unchain_backward();  // The state outlives the loss.
            EXPECT_EQ(kernel_runs, before);
            sum(state * 5.0).backward();
            side.saw_gradient("state", state);
            side.saw_gradient("w", w);  // Not by the state.
        }
    });
}

}  // namespace
}  // namespace catena::testing
