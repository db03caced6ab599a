// Bodies of composites inside a region, which are taken again from the third call on without
// calling them.
#include <gtest/gtest.h>

#include <thread>

#include "runtime/core/system/environment.h"
#include "runtime/ops/define/composite.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

int calls_of_body = 0;

void run_powers(const KernelCall& c) {
    const std::vector<double> x = c.inputs[0].to_vector<double>(),
                              w = c.inputs[1].to_vector<double>();
    std::vector<double> y = x;
    for (int64_t n = 0; n < c.attributes.integer("times"); ++n)
        for (size_t i = 0; i < y.size(); ++i) y[i] = y[i] * w[i] * c.scalars[0] + x[i];
    copy_elements(Array::from(y, c.outputs[0].shape()).astype(c.outputs[0].dtype()), c.outputs[0]);
}

Variable powers_of(std::span<const Variable> v, int64_t times, const Scalar& factor) {
    Variable y = v[0];
    for (int64_t n = 0; n < times; ++n) y = y * v[1] * factor + v[0];
    return y;
}

/// x; then `times` times y * w * factor + x. Its body is counted.
const OpDef& op_powers = define_composite({
    .name = "test_powers",
    .input_count = 2,
    .scalar_names = {"factor"},
    .type = [](const TypeCall& c) { return Types{c.inputs[0]}; },
    .kernel = run_powers,
    .body =
        [](std::span<const Variable> v, const Attributes& a, std::span<const Scalar> s) {
            ++calls_of_body;
            return Variables{powers_of(v, a.integer("times"), s[0])};
        },
});

Variable powers(const Variable& x, const Variable& w, const Scalar& factor = 0.5,
                int64_t times = 2) {
    return call(op_powers, current_location(), {{"times", times}}, {factor}, x, w);
}

/// Its body does one thing or another, whatever it is given: it is no function, but each way gives
/// the same.
const OpDef& op_fickle = define_composite({
    .name = "test_fickle",
    .input_count = 1,
    .type = [](const TypeCall& c) { return Types{c.inputs[0]}; },
    .kernel = [](const KernelCall& c) { copy_elements(c.inputs[0], c.outputs[0]); },
    .body =
        [](std::span<const Variable> v, const Attributes&, std::span<const Scalar>) {
            return Variables{++calls_of_body % 2 == 0 ? v[0] * 1.0 : v[0] + 0.0};
        },
});

Variable numbers(int number) { return Variable(batch(number, 2, 3).array()); }

bool are_called_always() { return environment::flag("CATENA_CHECK_WALKS", false); }

/// Twelve calls of f(x, w, number of the call).
template <class F>
void expect_results(F f) {
    expect_same([&](Side& side) {
        int i = 0;
        auto region = side.region([&](const Variable& x, const Variable& w) { return f(x, w, i); });
        for (; i < 12; ++i) {
            side.call(i);
            side.saw("result", region(numbers(i), numbers(i + 7)));
        }
    });
}

TEST(CaptureBodies, are_called_at_the_first_two_calls_only) {
    if (are_called_always()) GTEST_SKIP() << "CATENA_CHECK_WALKS=1 calls them always";
    const Variable w =
        batch(3, 2, 3);  // It is read by the composite first, as a layer's weights are.
    auto region =
        static_graph([&](const Variable& x) { return powers(x, w) + powers(tanh(x), x); });
    calls_of_body = 0;
    for (int i = 0; i < 6; ++i) {
        const Variable x = batch(i, 2, 3);
        const std::vector<double> found = region(x).array().to_vector<double>();
        const Variable y = tanh(x);
        const std::vector<double> expected =
            (powers_of(std::vector{x, w}, 2, 0.5) + powers_of(std::vector{y, x}, 2, 0.5))
                .array()
                .to_vector<double>();
        for (size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-5);
    }
    EXPECT_EQ(calls_of_body, 4);
    EXPECT_EQ(region.statistics().mismatches, 0);
}

TEST(CaptureBodies, numbers_and_attributes_that_change) {
    expect_results([](const Variable& x, const Variable& w, int i) {
        return powers(x, w, i < 5 ? 0.5 : 0.1 * i);
    });
    expect_results([](const Variable& x, const Variable& w, int i) {
        return powers(x, w, 0.5, i < 5 ? 2 : i % 3);
    });
    expect_results([](const Variable& x, const Variable& w, int i) {
        return powers(x * (i % 4), w) * powers(w, x, i % 2 ? 0.5 : -0.0);
    });
}

TEST(CaptureBodies, a_cell_that_changes) {
    const Cell factor(0.5, "factor");
    expect_results([&](const Variable& x, const Variable& w, int i) {
        Cell now = factor;
        now = 0.5 + 0.25 * (i / 4);
        return powers(x, w, now);
    });
    // Another cell of the same number, and then the first one alone.
    expect_results([&](const Variable& x, const Variable& w, int i) {
        Cell first = factor;
        first = i < 6 ? 0.5 : 2.0;
        return powers(x, w, i % 2 && i < 6 ? Scalar(Cell(0.5)) : Scalar(first));
    });
}

/// While a cell has one value it is one scalar of the program, also of what reads it before the
/// composite.
TEST(CaptureBodies, a_cell_that_changes_before_the_composite) {
    const Cell factor(0.5, "factor");
    expect_results([&](const Variable& x, const Variable& w, int i) {
        Cell now = factor;
        now = i < 5 ? 0.5 : 0.25 * i;
        const Variable y = x * now;
        now = 0.5;
        return powers(y, w, now);
    });
}

TEST(CaptureBodies, other_arrays_in_the_same_place) {
    expect_results([](const Variable& x, const Variable& w, int i) {
        return i < 4 || i % 3 ? powers(x, w) : powers(w, x);
    });
    expect_results([](const Variable& x, const Variable& w, int i) {
        return powers(x, i < 4 || i % 2 ? x : w);
    });
    expect_results([kept = numbers(20)](const Variable& x, const Variable& w, int i) {
        const Variable other = numbers(21 + i / 5);
        return powers(i < 4 || i % 2 ? kept : other, i % 3 ? other : kept) + x * w;
    });
    expect_results([kept = numbers(20)](const Variable& x, const Variable& w, int i) {
        const Variable y = x * w;  // Computed in the region, read in it, or from outside.
        return powers(i < 4 ? y : i < 8 ? kept : w, kept);
    });
}

TEST(CaptureBodies, inputs_of_another_type) {
    expect_same([](Side& side) {
        auto region = side.region([](const Variable& x) {
            const Variable w(Array::full(x.type(), 0.25));
            return powers(x, w);
        });
        for (int i = 0; i < 15; ++i) {
            side.call(i);
            const int64_t rows = i < 6 ? 2 : 2 + i % 3;
            side.saw("result",
                     region(batch(i, rows, 3, i % 5 == 4 ? Dtype::float64 : Dtype::float32)));
        }
    });
}

TEST(CaptureBodies, settings_inside_of_the_region) {
    expect_results([](const Variable& x, const Variable& w, int i) {
        const auto mode = using_config(&Config::enable_backprop, i % 4 != 3);
        const auto train = using_config(&Config::train, i % 3 != 2);
        return powers(x, w) * w;
    });
}

TEST(CaptureBodies, a_body_that_is_no_function_is_always_called) {
    if (are_called_always()) GTEST_SKIP() << "CATENA_CHECK_WALKS=1 says what is wrong with it";
    auto region = static_graph([](const Variable& x) {
        return apply(op_fickle, std::vector{&x}, current_location())[0] * 2.0;
    });
    calls_of_body = 0;
    for (int i = 0; i < 12; ++i) {
        const Variable x = batch(i, 2, 3);
        EXPECT_EQ(region(x).array().to_vector<float>(), (x * 2.0).array().to_vector<float>());
    }
    EXPECT_EQ(calls_of_body, 12);
}

TEST(CaptureBodies, gradients_through_them) {
    for (const bool inside : {true, false})
        expect_same([&](Side& side) {
            int i = 0;
            auto region = side.region([&](const Variable& x, const Variable& w) {
                const Variable y = sum(powers(x, powers(w, x, 0.5, 1 + i / 4)));
                if (inside) {
                    x.cleargrad();
                    y.backward();
                }
                return y;
            });
            for (; i < 12; ++i) {
                side.call(i);
                const Variable x = numbers(i), w = numbers(i + 7);
                const Variable y = region(x, w);
                if (!inside) y.backward();
                side.saw("y", y);
                side.saw_gradient("x", x);
            }
        });
}

TEST(CaptureBodies, of_networks_with_states) {
    expect_same(
        [](Side& side) {
            NoisyNet noisy;
            RecurrentNet recurrent;
            Adam adam(0.01);
            SGD sgd(0.1);
            adam.setup(noisy);
            sgd.setup(recurrent);
            auto step = side.region([&](const Variable& x, const Variable& t) {
                const Variable a = softmax_cross_entropy(noisy(x), t);
                learn(noisy, adam, a);
                const Variable b = softmax_cross_entropy(recurrent(x), t);
                learn(recurrent, sgd, b);
                b.unchain_backward();
                return a + b;
            });
            for (int i = 0; i < 10; ++i) {
                side.call(i);
                if (i == 5) sgd.lr = 0.05;
                side.saw("loss", step(batch(i, 5, 3), labels(i, 5, 3)));
                side.saw("noisy", noisy);
                side.saw("recurrent", recurrent);
                side.saw_random_state();
            }
        },
        {.nearness = {.float32 = 1e-4}, .modes = all_modes});
}

TEST(CaptureBodies, an_error_after_one) {
    expect_same(
        [](Side& side) {
            Mlp model;
            State seen(Array::zeros({Dtype::float32, {}}));
            auto step = side.region([&](const Variable& x, const Variable& t) {
                const Variable y = log_softmax(model(x));
                assign(seen, seen + sum(y));
                const Variable loss = softmax_cross_entropy(y, t);
                assign(seen, seen * 2.0);
                return loss;
            });
            for (int i = 0; i < 12; ++i) {
                side.call(i);
                Variable t = labels(i, 4, 3);
                if (i % 4 == 3) t.array().data<int32_t>()[2] = -7;
                side.fails("step", [&] { step(batch(i, 4, 3), t); });
                side.saw("seen", seen);
            }
        },
        {.nearness = {.float32 = 1e-4}, .modes = all_modes});
}

TEST(CaptureBodies, an_exception_of_the_user_after_one) {
    expect_same(
        [](Side& side) {
            State seen(Array::zeros({Dtype::float32, {2, 3}}));
            int i = 0;
            auto region = side.region([&](const Variable& x) {
                assign(seen, powers(x, seen));
                if (i % 4 == 3) throw std::runtime_error("the user's");
                assign(seen, powers(seen, x));
            });
            for (; i < 12; ++i) {
                side.call(i);
                side.fails("region", [&] { region(numbers(i)); });
                side.saw("seen", seen);
            }
        },
        {.modes = all_modes});
}

TEST(CaptureBodies, before_and_after_a_host_read) {
    expect_results([](const Variable& x, const Variable& w, int i) {
        Variable y = powers(x, w);
        if (sum(y).item<double>() > 0) y = powers(y, x);
        return powers(y * 0.1, w) + powers(w, y, 0.5, 1 + i % 2);
    });
}

TEST(CaptureBodies, on_several_threads_at_once) {
    const Variable w = numbers(3);
    auto region = static_graph([&](const Variable& x) {
        const auto no_graph = no_backprop_mode();
        return powers(x, w) + layer_normalization(x, Array::full({Dtype::float32, {3}}, 1),
                                                  Array::zeros({Dtype::float32, {3}}));
    });
    std::vector<std::thread> threads;
    std::vector<std::vector<double>> found(4);
    for (size_t n = 0; n < found.size(); ++n)
        threads.emplace_back([&, n] {
            for (int i = 0; i < 20; ++i)
                found[n] = region(numbers(int(n))).array().to_vector<double>();
        });
    for (std::thread& thread : threads) thread.join();
    for (size_t n = 0; n < found.size(); ++n)
        EXPECT_EQ(found[n], region(numbers(int(n))).array().to_vector<double>());
}

}  // namespace
}  // namespace catena::testing
