// Settings that are switched between calls and inside them, debug mode, compile modes, and what the
// counters say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

TEST(CaptureSettings, training_mode_is_switched_between_and_inside_the_calls) {
    expect_same(
        [](Side& side) {
            NoisyNet model;
            bool quiet = false;
            auto f = side.region([&](const Variable& x) {
                Variable y = model(x);
                auto mode = using_config(&Config::train, config().train && !quiet);
                return y + model(x) * 0.5;
            });
            for (int i = 0; i < 16; ++i) {
                side.call(i);
                auto mode = using_config(&Config::train, i % 3 != 2);
                quiet = i % 4 > 1;
                side.saw("y", f(batch(i, 4, 3)));
                side.saw("model", model);
                side.saw_random_state();
            }
            f.expect_programs(3);
        },
        {.nearness = {.float32 = 1e-4}});
}

TEST(CaptureSettings, programs_with_tf32_and_without_are_two) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    auto f = static_graph([](const Variable& x) { return matmul(x, x) + 1.0; });
    const Variable x = batch(0, 4, 4);
    for (int i = 0; i < 8; ++i) {
        auto mode = using_config(&Config::tf32, i % 2 == 1);
        f(x);
    }
    EXPECT_EQ(f.statistics().programs, 2);
}

TEST(CaptureSettings, graphs_are_recorded_or_not_as_the_switch_says) {
    expect_same([](Side& side) {
        Mlp model;
        bool part = false;
        auto f = side.region([&](const Variable& x) {
            Variable hidden;
            {
                auto mode =
                    using_config(&Config::enable_backprop, config().enable_backprop && !part);
                hidden = tanh(model.l1(x));
            }
            return sum(model.l2(hidden));
        });
        for (int i = 0; i < 16; ++i) {
            side.call(i);
            part = i % 4 > 1;
            auto mode = using_config(&Config::enable_backprop, i % 3 != 2);
            Variable x(batch(i, 2, 3).array());
            Variable y = f(x);
            side.saw("y", y);
            side.saw("has a creator", bool(y.body()->creator));
            model.cleargrads();
            if (y.body()->creator) y.backward();
            side.saw("model", model);
            side.saw_gradient("x", x);
        }
    });
}

TEST(CaptureSettings, the_dtype_of_what_is_made_inside_is_the_present_one) {
    expect_same([](Side& side) {
        auto f = side.region([&](const Variable& x) {
            Linear fresh(3, 2);
            return sum(fresh(cast(x, config().dtype)));
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            auto mode = using_config(&Config::dtype, i % 3 ? Dtype::float32 : Dtype::float64);
            side.saw("y", f(batch(i, 2, 3)));
        }
        side.saw_random_state();
    });
}

TEST(CaptureSettings, debug_mode_finds_what_is_no_number_in_forward) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) { return sum(log(x) * 2.0); });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            auto mode = using_config(&Config::debug, i % 4 != 3);
            Variable x = doubles({1.0 + i, i % 3 == 2 ? -1.0 : 2.0});
            side.fails("call", [&] {
                Variable y = f(x);
                side.saw("y", y);
                y.backward();
                side.saw_gradient("x", x);
            });
        }
    });
}

TEST(CaptureSettings, debug_mode_finds_what_is_no_number_in_backward) {
    expect_same([](Side& side) {
        Parameter w(Array::from<double>({1, 2}), "w");
        State count(Array::from<int64_t>({0}));
        auto f = side.region([&](const Variable& x) {
            assign(count, count + 1);
            Variable y = sum(sqrt(x * w) *
                             0.0);  // The gradient of sqrt at 0 is infinite, times 0 not a number.
            y.backward();
            assign(count, count + 10);
            return y;
        });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            auto mode = using_config(&Config::debug, i >= 3);
            w.cleargrad();
            Variable x = doubles({1, i % 3 == 1 ? 0.0 : 4.0});
            side.fails("call", [&] { side.saw("y", f(x)); });
            side.saw("count", count);
        }
    });
}

TEST(CaptureSettings, switched_off_in_between_it_is_the_plain_function) {
    expect_same([](Side& side) {
        RecurrentNet model;
        Adam adam(0.01);
        adam.setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            learn(model, adam, loss);
            loss.unchain_backward();
            return loss;
        });
        for (int i = 0; i < 15; ++i) {
            side.call(i);
            auto mode = using_config(&Config::use_static_graph, i % 4 != 2);
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw("adam", adam);
        }
        if (auto counts = step.counts()) {
            EXPECT_EQ(counts->calls, 15);
            EXPECT_EQ(counts->eager_calls, 4);
        }
    });
}

TEST(CaptureSettings, every_compile_mode_gives_the_same_results) {
    expect_same(
        [](Side& side) {
            NoisyNet model;
            Adam adam(0.01);
            adam.setup(model);
            int calls = 0;
            auto step = side.region([&](const Variable& x, const Variable& t) {
                Variable loss = softmax_cross_entropy(model(x), t);
                if (++calls % 3 == 0) loss = loss + sum(square(model.l1.W)) * 0.01;
                if (calls % 5 == 0 && loss.item<double>() > 1) loss = loss * 0.5;
                learn(model, adam, loss);
                return loss;
            });
            for (int i = 0; i < 40; ++i) {
                side.call(i);
                const int64_t rows = i % 8 == 7 ? 3 : 6;
                side.saw("loss", step(batch(i, rows, 3), labels(i, rows, 3)));
                side.saw("model", model);
                side.saw("adam", adam);
                side.saw_random_state();
            }
        },
        {.nearness = {.float32 = 5e-4}, .modes = all_modes});
}

TEST(CaptureSettings, the_counters_tell_what_ran) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    auto body = [](const Variable& x) { return exp(x) * 2.0 + x; };
    auto now = static_graph(body, {.compile_mode = CompileMode::now});
    auto later = static_graph(body, {.compile_mode = CompileMode::later});
    auto background = static_graph(body, {.compile_mode = CompileMode::background});
    for (int i = 0; i < 4; ++i) {
        const Variable x = doubles({0.1 * i, 1});
        for (auto* f : {&now, &later, &background}) {
            const auto got = (*f)(x).array().to_vector<double>(),
                       right = body(x).array().to_vector<double>();
            for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(got[k], right[k], 1e-12);
        }
    }
    EXPECT_EQ(now.statistics().compiled_calls, 4);
    EXPECT_EQ(now.statistics().interpreted_calls, 0);
    EXPECT_EQ(later.statistics().compiled_calls, 3);
    EXPECT_EQ(later.statistics().interpreted_calls, 1);
    EXPECT_EQ(background.statistics().compiled_calls + background.statistics().interpreted_calls,
              4);
    for (auto* f : {&now, &later, &background}) {
        EXPECT_EQ(f->statistics().calls, 4);
        EXPECT_EQ(f->statistics().followed_calls, 4);
        EXPECT_EQ(f->statistics().eager_calls, 0);
        EXPECT_LE(f->statistics().programs, 1);
    }
}

TEST(CaptureSettings, a_debug_call_is_interpreted) {
    auto f = static_graph([](const Variable& x) { return exp(x) * 2.0; });
    f(doubles({1}));
    const int64_t before = f.statistics().interpreted_calls;
    auto mode = using_config(&Config::debug, true);
    f(doubles({1}));
    EXPECT_EQ(f.statistics().interpreted_calls, before + 1);
}

TEST(CaptureSettings, verified_calls_give_the_same_results) {
    expect_same(
        [](Side& side) {
            NoisyNet model;
            Adam adam(0.01);
            adam.setup(model);
            auto step = side.region(
                [&](const Variable& x, const Variable& t) {
                    Variable loss = softmax_cross_entropy(model(x), t);
                    learn(model, adam, loss);
                    return loss;
                },
                {.verify = true});
            for (int i = 0; i < 8; ++i) {
                side.call(i);
                side.saw("loss", step(batch(i, 6, 3), labels(i, 6, 3)));
                side.saw("model", model);
                side.saw("adam", adam);
                side.saw_random_state();
            }
        },
        {.nearness = {.float32 = 1e-4}});
}

TEST(CaptureSettings, code_without_a_state_of_its_own_may_be_followed_less_often) {
    for (Audit audit : {Audit::never, Audit::sampled, Audit::always}) {
        expect_same(
            [&](Side& side) {
                NoisyNet model;
                Adam adam(0.01);
                adam.setup(model);
                int calls = 0;
                auto step = side.region(
                    [&](const Variable& x, const Variable& t) {
                        if (side.compiled()) ++calls;
                        Variable loss = softmax_cross_entropy(model(x), t);
                        learn(model, adam, loss);
                        return loss;
                    },
                    {.audit = audit});
                for (int i = 0; i < 20; ++i) {
                    side.call(i);
                    if (i == 10) adam.alpha = 0.001;
                    side.saw("loss", step(batch(i, 6, 3), labels(i, 6, 3)));
                    side.saw("model", model);
                    side.saw("adam", adam);
                    side.saw_random_state();
                }
                if (auto counts = step.counts()) {
                    EXPECT_EQ(counts->followed_calls, calls);
                    // Sampled: 1, 2, 4, 8, 16.
                    EXPECT_EQ(calls, audit == Audit::never ? 1 : audit == Audit::sampled ? 5 : 20);
                }
            },
            {.nearness = {.float32 = 1e-4}});
    }
}

TEST(CaptureSettings, steady_calls_take_no_more_memory_and_make_no_more_programs) {
    Mlp model;
    Adam adam(0.01);
    adam.setup(model);
    int calls = 0;
    std::vector<Variable> last;
    auto step = static_graph([&](const Variable& x, double rate) {
        Variable made(Array::from<float>({float(calls), 1, 2}), false);
        Variable loss = sum(square(model(x + made))) * rate;
        if (++calls % 4 == 0) loss = loss + sum(absolute(model.l2.W));
        if (calls % 8 == 0 && loss.item<double>() < 0) loss = loss * 2.0;
        learn(model, adam, loss);
        last.assign(1, loss);
        return loss;
    });
    for (int i = 0; i < 64; ++i) step(batch(i, 4, 3), 1.0 / (1 + i));
    const MemoryStatistics before = cpu_memory_statistics();
    const int64_t programs = step.statistics().programs;
    for (int i = 0; i < 640; ++i) step(batch(i, 4, 3), 1.0 / (1 + i));
    const MemoryStatistics after = cpu_memory_statistics();
    EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
    EXPECT_EQ(after.system_allocations, before.system_allocations);
    EXPECT_EQ(step.statistics().programs, programs);
    EXPECT_LE(programs, 4) << step.explain();
}

TEST(CaptureSettings, programs_that_made_room_come_back_right) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        int calls = 0;
        auto step = side.region(
            [&](const Variable& x) {
                Variable y = model(x);
                for (int k = calls++ % 3; k > 0; --k) y = tanh(y);
                Variable loss = sum(square(y));
                learn(model, sgd, loss);
                return loss;
            },
            {.cache_bytes = 1});
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
        }
        if (auto counts = step.counts()) {
            EXPECT_GT(counts->dropped, 0);
            EXPECT_GT(counts->programs, 3) << "some were made again";
        }
    });
}

TEST(CaptureSettings, debug_mode_for_a_part_of_the_code_checks_that_part) {
    expect_same(
        [](Side& side) {
            auto f = side.region([](const Variable& x, bool is_checked, bool has_more) {
                Variable y = log(x) + 1.0;  // NaN, and not checked.
                {
                    auto mode = using_config(&Config::debug, is_checked);
                    y = has_more ? log(x) * 2.0 : x * 2.0;
                }
                return y + 1.0;
            });
            for (int i = 0; i < 8; ++i) {
                side.call(i);
                side.fails("call", [&] {
                    side.saw("y",
                             f(Variable(Array::from({-1.0F, 2.0F}), false), i % 4 > 0, i % 2 > 0));
                });
            }
        },
        {.modes = all_modes});
}

TEST(CaptureSettings, debug_mode_that_a_part_of_the_code_switches_off) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) {
            auto mode = using_config(&Config::debug, false);
            return log(x) + 1.0;
        });
        auto mode = using_config(&Config::debug, true);
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            side.fails("call",
                       [&] { side.saw("y", f(Variable(Array::from({-1.0F, 2.0F}), false))); });
        }
    });
}

TEST(CaptureSettings, debug_mode_around_a_backward_inside_checks_the_gradients) {
    expect_same(
        [](Side& side) {
            const Variable w(Array::from({0.0F, 4.0F}), true);
            auto f = side.region(
                [&](bool is_checked) {
                    w.cleargrad();
                    const Variable y = sum(sqrt(w) * w);  // 0 times inf in its gradient.
                    auto mode = using_config(&Config::debug, is_checked);
                    y.backward();
                    return y;
                },
                {.keep_grads = true});
            for (int i = 0; i < 6; ++i) {
                side.call(i);
                side.fails("call", [&] { side.saw("y", f(i % 3 == 1)); });
            }
        },
        {.modes = all_modes});
}

TEST(CaptureSettings, a_part_of_the_code_cannot_be_checked_where_breaks_are_refused) {
    auto f = static_graph(
        [](const Variable& x) {
            const Variable y = x + 1.0;
            auto mode = using_config(&Config::debug, true);
            return log(y);
        },
        {.name = "unbroken", .breaks = false});
    try {
        f(batch(1, 2, 3));
        FAIL() << "nothing was thrown";
    } catch (const ValueError& error) {
        EXPECT_NE(
            std::string(error.what()).find("static_graph unbroken: the setting debug is true"),
            std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace catena::testing
