// Calls that skip the code (Audit::never, Audit::sampled) give what the code would give, or run it.
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"
#include "tests/support/two_states.h"

namespace catena::testing {
namespace {

using Body = std::function<void(Side&, const StaticGraphOptions&)>;

void expect_same_skipping(const Body& body, const Comparison& how = {}) {
    for (const Audit audit : {Audit::never, Audit::sampled}) {
        SCOPED_TRACE(audit == Audit::never ? "never" : "sampled");
        expect_same([&](Side& side) { body(side, {.audit = audit}); }, how);
    }
}

/// Whether some calls of a compiled run have left out the code.
template <class F>
void expect_skips(const Region<F>& region) {
    const auto counts = region.counts();
    if (counts && counts->eager_calls == 0) {
        EXPECT_LT(counts->followed_calls, counts->calls);
    }
}

Variable numbers(int i) { return doubles({0.5, -1, 0.1 * i}); }

//---- gradients of what is captured

TEST(SkippedCode, a_captured_leaf_gets_its_gradient) {
    expect_same_skipping([](Side& side, const StaticGraphOptions& options) {
        Parameter w(doubles({2, 3, 1}).array());
        const Variable leaf = doubles({1, -2, 0.5});
        auto region = side.region([&](const Variable& x) { return tanh(x * w) * leaf; }, options);
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            const Variable x = numbers(i);
            sum(region(x)).backward();
            for (const Variable& v : {Variable(w), leaf, x}) side.saw("gradient", v.grad());
        }
    });
}

TEST(SkippedCode, a_captured_value_passes_its_gradient_on) {
    expect_same_skipping([](Side& side, const StaticGraphOptions& options) {
        Parameter w(doubles({2, 3, 1}).array());
        const Variable inner = w * 2.0;
        auto first = side.region([&](const Variable& x) { return tanh(x * w); });
        const Variable h = first(numbers(7));
        auto region =
            side.region([&](const Variable& x) { return tanh(x * w) * inner * h; }, options);
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            const Variable x = numbers(i);
            sum(region(x)).backward();
            side.saw("w", w.grad());
            side.saw("x", x.grad());
        }
    });
}

TEST(SkippedCode, a_backward_inside_goes_on_through_the_graph_of_an_argument) {
    expect_same_skipping([](Side& side, const StaticGraphOptions& options) {
        Parameter outer(doubles({2, 3, 1}).array()), w(doubles({1, -1, 2}).array());
        auto region = side.region(
            [&](const Variable& h) {
                const Variable loss = sum(tanh(h * w));
                loss.backward();
                return loss;
            },
            options);
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            outer.cleargrad();
            w.cleargrad();
            // Now and then a leaf.
            const Variable x = numbers(i),
                           h = i % 3 == 1 ? Variable(tanh(x * outer).array()) : tanh(x * outer);
            side.saw("loss", region(h));
            for (const Variable& v : {Variable(w), Variable(outer), x, h})
                side.saw("gradient", v.grad());
        }
    });
}

//---- gradients from before the call

TEST(SkippedCode, gradients_are_added_to_those_that_are_there) {
    expect_same_skipping([](Side& side, const StaticGraphOptions& options) {
        Parameter w(doubles({2, 3, 1}).array());
        auto region = side.region(
            [&](const Variable& x) {
                const Variable loss = sum(tanh(x * w));
                loss.backward();
                return loss;
            },
            options);
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            const Variable x = numbers(i);
            if (i % 5 == 4) w.cleargrad();
            if (i % 4 == 3) x.set_grad(doubles({1, 2, 3}).array());
            side.saw("loss", region(x));
            side.saw("w", w.grad());
            side.saw("x", x.grad());
        }
        expect_skips(region);
    });
}

TEST(SkippedCode, an_update_alone_reads_the_present_gradients) {
    expect_same_skipping([](Side& side, const StaticGraphOptions& options) {
        Mlp model;
        SGD sgd(0.1);
        sgd.setup(model);
        auto update = side.region([&] { sgd.update(); }, options);
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            model.cleargrads();
            sum(square(model(batch(i, 4, 3)))).backward();
            update();
            side.saw("model", model);
        }
    });
}

//---- results that are not new variables

TEST(SkippedCode, a_result_may_be_a_parameter_a_leaf_or_a_value_from_outside) {
    for (int kind = 0; kind < 7; ++kind) {
        SCOPED_TRACE(kind);
        expect_same_skipping([&](Side& side, const StaticGraphOptions& options) {
            Parameter w(doubles({2, 3, 1}).array());
            const Variable leaf = doubles({1, -2, 0.5}), inner = w * 2.0;
            auto region = side.region(
                [&](const Variable& x) {
                    const Variable y = tanh(x * w);
                    const Variable others[] = {w,
                                               leaf,
                                               inner,
                                               x,
                                               Variable(x.array(), false),
                                               Variable(y.array(), false),
                                               Variable(y.array())};
                    return std::pair(others[kind], y);
                },
                options);
            for (int i = 0; i < 4; ++i) {
                side.call(i);
                const Variable x = numbers(i);
                const auto [other, y] = region(x);
                (sum(y) + sum(other * other) * 5.0).backward();
                for (const Variable& v : {Variable(w), leaf, x, other})
                    side.saw("gradient", v.grad());
            }
        });
    }
}

TEST(SkippedCode, a_variable_that_is_returned_twice_is_one) {
    expect_same_skipping([](Side& side, const StaticGraphOptions& options) {
        Parameter w(doubles({2, 3, 1}).array());
        auto region = side.region(
            [&](const Variable& x) {
                const Variable y = tanh(x * w);
                return std::tuple(Variable(y.array(), false), y, y);
            },
            options);
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            const auto [array, y, z] = region(numbers(i));
            side.saw("is one", y.body() == z.body() && y.body() != array.body());
            (i % 2 ? sum(z * 5.0) : sum(y) + sum(z)).backward();
            side.saw("w", w.grad());
        }
        expect_skips(region);
    });
}

TEST(SkippedCode, a_returned_parameter_is_itself_after_an_update) {
    expect_same_skipping([](Side& side, const StaticGraphOptions& options) {
        Parameter w(doubles({2, 3, 1}).array());
        auto region = side.region(
            [&](const Variable& x) {
                assign(w, w * 0.5 + x);
                return std::pair(Variable(w), w * 2.0);
            },
            options);
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            const auto [same, twice] = region(Variable(numbers(i).array(), false));
            side.saw("is w", same.body() == w.body());
            side.saw("w", w.array());
            side.saw("twice", twice);
        }
        expect_skips(region);
    });
}

TEST(SkippedCode, a_backward_outside_after_one_inside_is_refused) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    Parameter w(doubles({2, 3, 1}).array());
    auto region = static_graph(
        [&](const Variable& x) {
            const Variable loss = sum(tanh(x * w));
            w.cleargrad();
            loss.backward();
            return loss;
        },
        {.audit = Audit::never});
    for (int i = 0; i < 3; ++i) {
        const Variable loss = region(numbers(i));
        EXPECT_THROW((loss * 2.0).backward(), TraceError) << i;
    }
    EXPECT_EQ(region.statistics().followed_calls, 1);
}

TEST(SkippedCode, a_number_that_changes_before_backward_is_read_again) {
    expect_same_skipping([](Side& side, const StaticGraphOptions& options) {
        Cell factor(2.0);
        auto region = side.region(
            [&](const Variable& x) { return tanh(tanh(x * factor)) * factor; }, options);
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            factor = 2.0 + i;
            const Variable x = numbers(i), y = region(x);
            factor = 0.5;
            sum(y).backward();
            side.saw("y", y);
            side.saw("x", x.grad());
        }
        expect_skips(region);
    });
}

//---- numbers that are others at a call that runs the code: 1, 2, 4, 8, ...

bool runs_the_code(int call) { return (call & (call - 1)) == 0; }

TEST(SkippedCode, the_cells_of_the_latest_call_that_ran_the_code_are_read) {
    expect_same([](Side& side) {
        Cell a(2.0), b(2.0);
        int i = 0;
        auto region = side.region(
            [&](const Variable& x) { return tanh(x * (i < 4 ? a : b)) * a - (i < 8 ? a : b); },
            {.audit = Audit::sampled});
        for (i = 1; i < 16; ++i) {
            side.call(i);
            a = runs_the_code(i) ? 2.0 : 2.0 + 0.1 * i;
            b = runs_the_code(i) ? 2.0 : 1.0 - 0.1 * i;
            const Variable x = numbers(i), y = region(x);
            sum(y).backward();
            side.saw("y", y);
            side.saw("x", x.grad());
        }
        expect_skips(region);
    });
}

TEST(SkippedCode, a_cell_takes_the_place_of_a_number) {
    expect_same([](Side& side) {
        Cell a(2.0);
        int i = 0;
        auto region =
            side.region([&](const Variable& x) { return tanh(i < 4 || i >= 8 ? x * 2.0 : x * a); },
                        {.audit = Audit::sampled});
        for (i = 1; i < 16; ++i) {
            side.call(i);
            a = runs_the_code(i) ? 2.0 : 0.1 * i;
            side.saw("y", region(numbers(i)));
        }
        expect_skips(region);
    });
}

//---- arguments

TEST(SkippedCode, an_argument_is_the_parameter_or_only_has_its_array) {
    for (const bool captured : {true, false})
        expect_same_skipping([&](Side& side, const StaticGraphOptions& options) {
            Parameter w(doubles({2, 3, 1}).array()), u(doubles({1, 1, 2}).array());
            auto region =
                side.region([&](const Variable& x,
                                const Variable& z) { return tanh(x * (captured ? w : u)) * z; },
                            options);
            for (int i = 0; i < 12; ++i) {
                side.call(i);
                w.cleargrad();
                u.cleargrad();
                const Variable x = i % 4 < 2 ? Variable(w) : Variable(w.array(), i % 4 == 3);
                const Variable z = i % 3 == 0 ? x : Variable(x.array(), i % 3 == 1);
                sum(region(x, z)).backward();
                for (const Variable& v : {Variable(w), Variable(u), x, z})
                    side.saw("gradient", v.grad());
            }
        });
}

//---- recurrent links

template <class Recurrent>
void expect_same_recurrence(bool begins_empty) {
    expect_same_skipping([&](Side& side, const StaticGraphOptions& options) {
        Recurrent net(3, 4);
        SGD sgd(0.1);
        sgd.setup(net);
        const Variable zeros(Array::zeros({Dtype::float32, {2, 4}}), false);
        const auto set = [&] {
            if constexpr (requires { net.c(); })
                net.set_state(zeros, zeros);
            else
                net.set_state(zeros);
        };
        if (!begins_empty) set();
        auto region = side.region(
            [&](const Variable& x) {
                const Variable loss = sum(square(net(x)));
                learn(net, sgd, loss);
                loss.unchain_backward();
                if constexpr (requires { net.c(); }) net.c().unchain_backward();
                net.h().unchain_backward();
                return loss;
            },
            options);
        for (int i = 0; i < 16; ++i) {
            side.call(i);
            if (i == 5 || i == 6 || i == 11) net.reset_state();
            if (i == 9) set();
            side.saw("loss", region(batch(i, 2, 3)));
            side.saw("h", net.h());
            side.saw("net", net);
        }
        expect_skips(region);
    });
}

TEST(SkippedCode, an_lstm_is_empty_or_not) {
    expect_same_recurrence<LSTM>(true);
    expect_same_recurrence<LSTM>(false);
}
TEST(SkippedCode, a_gru_is_empty_or_not) {
    expect_same_recurrence<StatefulGRU>(true);
    expect_same_recurrence<StatefulGRU>(false);
}

TEST(SkippedCode, a_region_resets_a_link_itself) {
    for (const bool at_end : {false, true})
        expect_same_skipping([&](Side& side, const StaticGraphOptions& options) {
            LSTM net(3, 4);
            auto region = side.region(
                [&](const Variable& x) {
                    const auto no_graph = no_backprop_mode();
                    if (!at_end) net.reset_state();
                    net(x);
                    const Variable y = net(x);
                    if (at_end) net.reset_state();
                    return y;
                },
                options);
            for (int i = 0; i < 8; ++i) {
                side.call(i);
                side.saw("y", region(batch(i, 2, 3)));
                side.saw("is empty", !net.h().defined());
            }
            expect_skips(region);
        });
}

TEST(SkippedCode, a_recurrent_state_keeps_its_graph_until_it_is_unchained) {
    expect_same_skipping([](Side& side, const StaticGraphOptions& options) {
        StatefulGRU net(3, 4);
        net.set_state(Variable(Array::zeros({Dtype::float32, {2, 4}}), false));
        auto region = side.region([&](const Variable& x) { return net(x); }, options);
        Variable loss;
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            const Variable l = sum(square(region(batch(i, 2, 3))));
            loss = loss.defined() ? loss + l : l;
            if (i % 4 != 3) continue;
            net.cleargrads();
            loss.backward();
            loss.unchain_backward();
            loss = Variable();
            side.saw("net", net);
        }
    });
}

//---- states that are assigned what the program has not computed

TEST(SkippedCode, a_state_takes_the_content_of_another_or_of_an_argument) {
    for (const auto& program : programs_of_two_states())
        expect_same_skipping([&](Side& side, const StaticGraphOptions& options) {
            TwoStates states;
            auto region =
                side.region([&](const Variable& x) { return program(states, x); }, options);
            for (int i = 0; i < 6; ++i) {
                side.call(i);
                side.saw("y", region(Variable(Array::from({double(i)}), false)));
                side.saw("q", Variable(states.q));
                side.saw("t", Variable(states.t));
            }
            expect_skips(region);
        });
}

//---- what listens to the code

struct HalvedWeight : LinkHook {
    std::string name() const override { return "halved"; }
    void forward_preprocess(LinkCall& call) override {
        call.replace(static_cast<Linear&>(call.link()).W,
                     static_cast<Linear&>(call.link()).W * 0.5);
    }
};

TEST(SkippedCode, a_hook_of_all_links_is_heard_while_it_is_in_scope) {
    expect_same_skipping([](Side& side, const StaticGraphOptions& options) {
        Linear link(3, 2);
        auto region = side.region([&](const Variable& x) { return link(x); }, options);
        HalvedWeight hook;
        for (int i = 0; i < 9; ++i) {
            side.call(i);
            std::optional<LinkHookScope> scope;
            if (i % 3 == 0) scope.emplace(hook);
            side.saw("y", region(batch(i, 2, 3)));
        }
        expect_skips(region);
    });
}

TEST(SkippedCode, statistics_change_once_where_backward_computes_again) {
    expect_same_skipping(
        [](Side& side, const StaticGraphOptions& options) {
            BatchNormalization bn(3);
            auto region = side.region([&](const Variable& x) { return bn(x); }, options);
            for (int i = 0; i < 6; ++i) {
                side.call(i);
                Variable x(batch(i, 4, 3).array());
                const Variable y = forget([&](const Variable& v) { return region(v); }, x);
                side.saw("y", y);
                sum(y * y).backward();
                side.saw("x", x.grad());
                side.saw("bn", bn);
            }
        },
        {.nearness = {.float32 = 1e-4}});
}

//---- errors

TEST(SkippedCode, an_error_leaves_the_states_that_eager_code_leaves) {
    expect_same_skipping(
        [](Side& side, const StaticGraphOptions& options) {
            NoisyNet model;
            SGD sgd(0.1);
            sgd.setup(model);
            auto region = side.region(
                [&](const Variable& x, const Variable& t) {
                    const Variable y = model(x), loss = softmax_cross_entropy(y, t);
                    learn(model, sgd, loss);
                    return std::pair(loss, std::optional<Variable>(Variable(y.array(), false)));
                },
                options);
            for (int i = 0; i < 12; ++i) {
                side.call(i);
                // Also at the fourth and eighth call, which run the code.
                const bool is_bad = i == 2 || i == 3 || i == 7 || i == 9;
                const Variable t =
                    is_bad ? Variable(Array::from(std::vector<int32_t>{0, 9, 1}, {3}), false)
                           : labels(i, 3, 3);
                side.fails("error", [&] { side.saw("loss", region(batch(i, 3, 3), t).first); });
                side.saw("model", model);
                side.saw_random_state();
            }
            expect_skips(region);
        },
        {.nearness = {.float32 = 1e-4}});
}

}  // namespace
}  // namespace catena::testing
