// What goes into a region and what comes out of it: structures, host numbers, captured arrays,
// nothing at all.
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

TEST(CaptureResults, host_numbers_beside_variables_are_this_calls) {
    expect_same([](Side& side) {
        int calls = 0;
        auto f = side.region([&](const Variable& x) { return std::pair(x * 2.0, ++calls * 10); });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            auto [y, number] = f(doubles({1.0 * i}));
            side.saw("y", y);
            side.saw("number", number);
        }
        f.expect_programs(1);
    });
}

struct Report {
    Variable loss;
    int epoch = 0;
    double rate = 0;
    std::string text;
    std::vector<int> counts;
    std::map<std::string, Variable> values;
};

TEST(CaptureResults, structures_lists_texts_and_maps_are_this_calls) {
    expect_same([](Side& side) {
        int calls = 0;
        auto f = side.region([&](const Variable& x) {
            ++calls;
            Report r{sum(x * double(calls)),          calls, 1.0 / calls,
                     "call " + std::to_string(calls), {},    {}};
            r.counts.assign(size_t(calls % 3), calls);
            r.values["mean"] = mean(x);
            if (calls % 2) r.values["max"] = max(x);
            return r;
        });
        for (int i = 0; i < 9; ++i) {
            side.call(i);
            Report r = f(doubles({1.0 * i, 2}));
            side.saw("loss", r.loss);
            side.saw("epoch", r.epoch);
            side.saw("rate", r.rate);
            side.saw("text", r.text);
            side.saw("counts", r.counts);
            for (auto& [name, value] : r.values) side.saw(name, value);
        }
    });
}

// Teacher forcing by the coins of each step.
TEST(CaptureResults, a_list_of_bools_is_an_argument) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x, const std::vector<bool>& coins) {
            Variable h = x;
            for (const bool coin : coins) h = coin ? h * 2.0 : h + 1.0;
            return h;
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            side.saw("h", f(doubles({1.0 * i, 2}),
                            std::vector<bool>{i % 2 == 1, i / 2 % 2 == 1, i / 4 == 1}));
        }
    });
}

TEST(CaptureResults, a_captured_variable_or_array_is_returned_as_it_is_now) {
    expect_same([](Side& side) {
        Array table = Array::from<double>({1, 2});
        Variable named = doubles({5, 6});
        State state(Array::from<double>({7, 8}));
        auto f = side.region([&](const Variable& x) {
            assign(state, state + x);
            return std::vector<Variable>{Variable(table, false), named, state, x, x * 1.0};
        });
        std::vector<std::vector<Variable>> all;
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            if (i == 3) table = Array::from<double>({10, 20});
            if (i == 5) named = doubles({50, 60});
            Variable x = doubles({1, 1.0 * i});
            std::vector<Variable> results = f(x);
            side.saw("results", results);
            side.saw("same variable", results[1].body() == named.body());
            side.saw("same state", results[2].body() == state.body());
            side.saw("same argument", results[3].body() == x.body());
            all.push_back(results);
        }
        for (size_t i = 0; i < all.size(); ++i) side.saw("all " + std::to_string(i), all[i]);
    });
}

TEST(CaptureResults, a_region_may_return_host_values_alone) {
    expect_same([](Side& side) {
        int calls = 0;
        auto number =
            side.region([&](const Variable& x) { return sum(x * 2.0).item<double>() + ++calls; });
        auto text = side.region(
            [&](const Variable& x) { return std::string(x.size() > 1 ? "many" : "one"); });
        auto count = side.region([&] { return ++calls; });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            side.saw("number", number(doubles({1.0 * i, 2})));
            side.saw("text", text(doubles(std::vector<double>(size_t(1 + i % 2)))));
            side.saw("count", count());
        }
    });
}

TEST(CaptureResults, an_argument_is_given_other_content_inside) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x, const Variable& y) {
            Variable before = x * 2.0;
            x.set_array((x * 3.0 + y).array());
            y.set_array(Array::from<double>({7, 7}));
            return before + x * y;
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            Variable x = doubles({1.0 * i, 2}), y = doubles({0.5, 1.0 * i}, false);
            Variable z = f(x, y);
            side.saw("z", z);
            side.saw("x", x);
            side.saw("y", y);
            sum(z).backward();
            side.saw_gradient("x", x);
        }
    });
}

TEST(CaptureResults, a_region_is_made_inside_another_or_called_by_a_hook) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        int calls = 0;
        auto shrink = side.region([&](const Variable& g) { return g * (1.0 / (1 + calls)); });
        sgd.add_hook("shrink", [&](Optimizer& optimizer) {
            for (UpdateSlot* slot : optimizer.active_slots())
                slot->param.set_grad_variable(shrink(slot->param.grad_variable()));
        });
        auto step = side.region([&](const Variable& x) {
            ++calls;
            auto squared =
                side.region([&](const Variable& y) { return sum(square(y)) * double(calls); });
            Variable loss = squared(model(x));
            learn(model, sgd, loss);
            return loss;
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
        }
        step.expect_programs(1, 2);
    });
}

TEST(CaptureResults, undefined_results_stay_undefined) {
    expect_same([](Side& side) {
        int calls = 0;
        auto f = side.region([&](const Variable& x) {
            Variable none;
            return std::vector<Variable>{++calls % 2 ? x * 2.0 : none, none,
                                         calls % 3 ? none : exp(x)};
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            side.saw("results", f(doubles({1.0 * i})));
        }
    });
}

TEST(CaptureResults, undefined_and_empty_arguments_are_optional_ones) {
    expect_same([](Side& side) {
        auto f = side.region(
            [](const Variable& x, const Variable& weight, const std::optional<Variable>& bias) {
                Variable y = weight.defined() ? x * weight : x * 10.0;
                return bias ? y + *bias : y;
            });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            Variable weight = i % 2 ? doubles({3, 4}) : Variable();
            std::optional<Variable> bias;
            if (i % 3 == 0) bias = doubles({100, 1.0 * i});
            Variable y = f(doubles({1.0 * i, 2}), weight, bias);
            side.saw("y", y);
            sum(y).backward();
            if (weight.defined()) side.saw_gradient("weight", weight);
            if (bias) side.saw_gradient("bias", *bias);
        }
    });
}

TEST(CaptureResults, arguments_may_be_arrays_lists_and_the_same_one_twice) {
    expect_same([](Side& side) {
        auto f =
            side.region([](const Array& a, const std::vector<Variable>& list, const Variable& x) {
                Variable y = x * a;
                for (const Variable& v : list) y = y * v;
                return y;
            });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            Variable x = doubles({1.0 + i, 2});
            std::vector<Variable> list(size_t(i % 4), i % 2 ? x : doubles({0.5, 2}));
            Variable y = f(i % 3 ? Array::from<double>({2.0 * i, 3}) : x.array(), list, x);
            side.saw("y", y);
            sum(y).backward();
            side.saw_gradient("x", x);
        }
    });
}

TEST(CaptureResults, a_result_is_the_next_calls_argument) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) { return tanh(x * 1.5) + 0.1; });
        Variable start = doubles({0.3, -0.2});
        Variable x = start;
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            x = f(x);
            side.saw("x", x);
        }
        sum(x).backward();
        side.saw_gradient("start", start);
    });
}

TEST(CaptureResults, outputs_kept_over_many_calls_keep_their_values) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) { return std::pair(exp(x), x * 2.0); });
        std::vector<Variable> kept;
        for (int i = 0; i < 30; ++i) {
            auto [a, b] = f(doubles({0.1 * i, 1}));
            kept.push_back(a);
            if (i % 2) kept.push_back(b);
        }
        side.saw("kept", kept);
    });
}

TEST(CaptureResults, a_result_is_changed_outside_and_nothing_else) {
    expect_same([](Side& side) {
        State s(Array::from<double>({1, 2}));
        auto f = side.region([&](const Variable& x) {
            Variable y = x * 2.0;
            s.set_array(y.array());
            return std::pair(y, y + 0.0);
        });
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            auto [y, z] = f(doubles({1.0 * i, 2}));
            y.array().data<double>()[0] = 100;  // The state shares it.
            side.saw("y", y);
            side.saw("z", z);
            side.saw("s", s);
        }
    });
}

TEST(CaptureResults, batches_without_rows_and_of_any_size) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable y = model(x);
            learn(model, sgd, sum(square(y)));
            return y;
        });
        for (int64_t rows : {4, 0, 4, 3, 1, 0, 7, 4, 16}) {
            side.call(side.call() + 1);
            side.saw("y", step(batch(side.call(), rows, 3)));
            side.saw("model", model);
        }
    });
}

TEST(CaptureResults, integers_bools_and_both_precisions) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& i, const Variable& x) {
            Variable even = fmod(i, Variable(Array::full({Dtype::int64, {}}, 2), false)) == 0;
            return std::vector<Variable>{i * i - 3, even, where(even, x, x * 2.0),
                                         cast(sum(i), x.dtype()) * x, argmax(x)};
        });
        for (int i = 0; i < 9; ++i) {
            side.call(i);
            const Variable numbers(Array::from<int64_t>({i, i + 1, 2 * i}), false);
            side.saw("results",
                     f(numbers, batch(i, 1, 3, i % 3 ? Dtype::float64 : Dtype::float32)));
        }
    });
}

TEST(CaptureResults, a_model_in_double_precision_trains_alike) {
    expect_same([](Side& side) {
        auto wide = using_config(&Config::dtype, Dtype::float64);
        NoisyNet model;
        Adam adam(0.01);
        adam.setup(model);
        auto step = side.region([&](const Variable& x, const Variable& t) {
            Variable loss = softmax_cross_entropy(model(x), t);
            learn(model, adam, loss);
            return loss;
        });
        for (int i = 0; i < 25; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 6, 3, Dtype::float64), labels(i, 6, 3)));
            side.saw("model", model);
            side.saw("adam", adam);
        }
    });
}

TEST(CaptureResults, a_model_in_half_precision_gives_alike_results) {
    expect_same([](Side& side) {
        for (Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
            auto half = using_config(&Config::dtype, dtype);
            Mlp model;
            auto f = side.region([&](const Variable& x) {
                Variable loss = mean(square(model(x)));
                model.cleargrads();
                loss.backward();
                return loss;
            });
            for (int i = 0; i < 5; ++i) {
                side.call(i);
                side.saw("loss", f(batch(i, 4, 3, dtype)));
                side.saw("model", model);
            }
        }
    });
}

TEST(CaptureResults, nested_regions_and_one_that_calls_itself_through_another) {
    expect_same([](Side& side) {
        Mlp model;
        std::function<Variable(const Variable&, int)> again;
        auto inner = side.region([&](const Variable& x, int depth) {
            Variable y = tanh(model(x));
            return depth > 0 ? again(y, depth - 1) : y;
        });
        auto outer =
            side.region([&](const Variable& x, int depth) { return inner(x * 0.9, depth) + 1.0; });
        again = [&](const Variable& x, int depth) { return outer(x, depth); };
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            Variable y = i % 3 == 2 ? inner(batch(i, 2, 3), i % 4) : outer(batch(i, 2, 3), i % 4);
            model.cleargrads();
            sum(y).backward();
            side.saw("y", y);
            side.saw("model", model);
        }
    });
}

TEST(CaptureResults, two_regions_of_one_function_do_not_meet) {
    expect_same([](Side& side) {
        Mlp a, b;
        auto of = [](Mlp& model) { return [&model](const Variable& x) { return model(x) * 2.0; }; };
        auto f = side.region(of(a)), g = side.region(of(b));
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            side.saw("f", f(batch(i, 2, 3)));
            side.saw("g", g(f(batch(i, 2, 3))));
        }
    });
}

TEST(CaptureResults, a_region_that_is_cleared_begins_anew) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            learn(model, sgd, loss);
            return loss;
        });
        Variable held;
        for (int i = 0; i < 9; ++i) {
            side.call(i);
            if (i % 4 == 3) step.clear();
            Variable loss = step(batch(i, 2, 3));
            if (i == 2) held = loss;
            side.saw("loss", loss);
            side.saw("model", model);
        }
        side.saw("held", held);
    });
}

TEST(CaptureResults, a_gradient_that_is_kept_in_a_result_when_the_code_is_skipped) {
    expect_same([](Side& side) {
        auto region = side.region(
            [](const Variable& x) {
                const Variable y = sum(exp(x));
                y.backward({.retain_grad = true});
                return y;
            },
            {.audit = Audit::sampled});
        for (int i = 0; i < 7; ++i) {
            side.call(i);
            const Variable x = doubles({0.5, -1, 0.1 * i});
            const Variable y = region(x);
            side.saw("y", y);
            side.saw_gradient("y", y);
            side.saw_gradient("x", x);
        }
    });
}

}  // namespace
}  // namespace catena::testing
