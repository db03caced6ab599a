// The second run of a forgotten function finds what the first one found, and leaves nothing behind.
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/link/connection/linear.h"
#include "frontend/link/hooks/spectral_normalization.h"
#include "frontend/link/normalization/batch_normalization.h"
#include "frontend/link/rnn/gru.h"
#include "frontend/link/rnn/lstm.h"
#include "frontend/link/rnn/stateful_lstm.h"
#include "frontend/link/sequential.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/custom/forget.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/noise/noise.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

using Numbers = std::vector<double>;
using Values = std::map<std::string, Numbers>;

Numbers numbers(const Variable& x) {
    return x.defined() && x.array().defined() ? x.array().astype(Dtype::float64).to_vector<double>()
                                              : Numbers();
}

/// Persistent states, and gradients of parameters.
void add_contents(Link& link, Values& all) {
    for (const auto& [name, state] : link.namedpersistents()) all[name] = numbers(*state);
    for (const auto& [name, parameter] : link.namedparams())
        all[name + ".grad"] = numbers(parameter->grad_variable());
}

void expect_near(const Values& found, const Values& right) {
    ASSERT_EQ(found.size(), right.size());
    for (const auto& [name, values] : right) {
        const Numbers& others = found.at(name);
        ASSERT_EQ(others.size(), values.size()) << name;
        for (size_t i = 0; i < values.size(); ++i)
            EXPECT_NEAR(others[i], values[i], 1e-5 * (1 + std::abs(values[i]))) << name << " " << i;
    }
}

Variable input_of_step(int step) {
    const Array base = Array::from<float>(
        std::vector<float>{1, 2, -1, 0.5f, 3, 4, 1, -2, 0, 1, 0.25f, 0.75f}, Shape{3, 4});
    return Variable((Variable(base, false) + float(step)).array());
}

/// Calls the link as it is, or forgetting.
template <class L>
Variable call(L& link, const Variable& x, bool forgets,
              const std::function<Variable(L&, const Variable&)>& f) {
    return forgets ? forget([&link, f](const Variable& h) { return f(link, h); }, x) : f(link, x);
}

/// What the link holds after each of three steps of forward and backward, with their gradients.
template <class L>
std::vector<Values> three_steps(L link, bool forgets,
                                const std::function<Variable(L&, const Variable&)>& f) {
    set_seed(1);
    std::vector<Values> steps;
    for (int i = 0; i < 3; ++i) {
        link.cleargrads();
        const Variable x = input_of_step(i);
        sum(square(call<L>(link, x, forgets, f))).backward();
        add_contents(link, steps.emplace_back());
        steps.back()["x.grad"] = numbers(x.grad_variable());
    }
    return steps;
}

template <class L>
void expect_the_same_in_three_steps(const L& link,
                                    const std::function<Variable(L&, const Variable&)>& f) {
    const std::vector<Values> right = three_steps<L>(link, false, f),
                              found = three_steps<L>(link, true, f);
    for (size_t i = 0; i < right.size(); ++i) expect_near(found[i], right[i]);
}

TEST(ForgetState, batch_normalization_in_training) {
    expect_the_same_in_three_steps<BatchNormalization>(
        BatchNormalization(4), [](auto& link, const Variable& x) { return link(x * x); });
}

TEST(ForgetState, batch_normalization_in_fine_tuning) {
    expect_the_same_in_three_steps<BatchNormalization>(
        BatchNormalization(4), [](auto& link, const Variable& x) { return link(x * x, true); });
}

TEST(ForgetState, spectral_normalization_iterates_once) {
    set_seed(2);
    Linear link(4, 3);
    link.add_hook(link_hooks::SpectralNormalization({.use_gamma = true}));
    expect_the_same_in_three_steps<Linear>(link, [](auto& l, const Variable& x) { return l(x); });
}

TEST(ForgetState, spectral_normalization_that_begins_in_the_call) {
    set_seed(2);
    Linear link(std::nullopt, 3);
    link.add_hook(link_hooks::SpectralNormalization());
    expect_the_same_in_three_steps<Linear>(link, [](auto& l, const Variable& x) { return l(x); });
}

template <class F>
concept CanForget = requires(F&& f, const Variable& x) { forget(std::forward<F>(f), x); };

TEST(ForgetState, a_link_is_called_itself_and_a_temporary_one_is_refused) {
    static_assert(CanForget<Sequential&> && CanForget<const Sequential&> &&
                  !CanForget<Sequential> && !CanForget<Linear>);
    Linear link(3, 2);
    sum(forget(link, Variable(Array::full({Dtype::float32, {1, 3}}, 1.0)))).backward();
    ASSERT_TRUE(link.W.grad().defined());
    EXPECT_EQ(link.W.grad().to_vector<float>()[0], 1);
}

TEST(ForgetState, nested) {
    expect_the_same_in_three_steps<BatchNormalization>(
        BatchNormalization(4), [](auto& link, const Variable& x) {
            const Variable y = forget([&](const Variable& h) { return link(h * h); }, x);
            return link(dropout(y, 0.5) + x, true);
        });
}

template <class L>
Values states_of(L& link) {
    Values all;
    all["h"] = numbers(link.h());
    if constexpr (requires { link.c(); }) all["c"] = numbers(link.c());
    return all;
}

/// Two windows of three steps, cut in between; the states before and after each backward.
template <class L>
std::vector<Values> two_windows(L link, bool forgets, bool cuts) {
    std::vector<Values> seen;
    for (int window = 0; window < 2; ++window) {
        Variable loss(Array::zeros({Dtype::float32, {}}), false);
        for (int i = 0; i < 3; ++i)
            loss = loss + sum(square(call<L>(link, input_of_step(i) * 0.2, forgets,
                                             [](L& l, const Variable& x) { return l(x); })));
        seen.push_back(states_of(link));
        loss.backward();
        seen.push_back(states_of(link));
        add_contents(link, seen.back());
        if (cuts) loss.unchain_backward();
    }
    return seen;
}

template <class L>
void expect_the_same_in_two_windows(const L& link) {
    for (bool cuts : {false, true}) {
        const std::vector<Values> right = two_windows(link, false, cuts),
                                  found = two_windows(link, true, cuts);
        for (size_t i = 0; i < right.size(); ++i) expect_near(found[i], right[i]);
    }
}

TEST(ForgetState, lstm) {
    set_seed(3);
    expect_the_same_in_two_windows(LSTM(4, 3));
}

TEST(ForgetState, lstm_whose_size_the_first_call_tells) {
    set_seed(3);
    LSTM link(std::nullopt, 3);
    link(input_of_step(0));
    link.reset_state();
    expect_the_same_in_two_windows(link);
}

TEST(ForgetState, gru_and_peepholes) {
    set_seed(3);
    expect_the_same_in_two_windows(StatefulGRU(4, 3));
    expect_the_same_in_two_windows(StatefulPeepholeLSTM(4, 3));
}

TEST(ForgetState, each_step_begins_with_its_own_state) {
    const auto gradients = [](bool forgets) {
        set_seed(4);
        LSTM link(4, 3);
        std::vector<Variable> ys;
        const auto f = [](LSTM& l, const Variable& x) { return l(x); };
        for (int i = 0; i < 3; ++i)
            ys.push_back(call<LSTM>(link, input_of_step(i) * 0.2, forgets, f));
        sum(square(ys[1])).backward();
        Values all = states_of(link);
        add_contents(link, all);
        return all;
    };
    expect_near(gradients(true), gradients(false));
}

TEST(ForgetState, a_state_keeps_its_graph_in_backward) {
    const auto gradients = [](bool forgets) {
        set_seed(4);
        LSTM link(4, 3);
        const Variable x = input_of_step(0),
                       y = call<LSTM>(link, x, forgets,
                                      [](LSTM& l, const Variable& v) { return l(v); });
        sum(square(y)).backward();
        x.cleargrad();
        sum(exp(link.c())).backward();  // Through the first call.
        return Values{{"x.grad", numbers(x.grad_variable())}};
    };
    expect_near(gradients(true), gradients(false));
}

TEST(ForgetState, a_sequence_that_resets_the_state_keeps_nothing_of_the_last_one) {
    LSTM link(4, 3);
    const auto sequence = [&](const Variable& x) {
        link.reset_state();
        return link(x) + link(x * 2) * 0.5 + link(x);
    };
    const auto step = [&] {
        link.cleargrads();
        sum(square(forget(sequence, input_of_step(0)))).backward();
        return cpu_memory_statistics().bytes_in_use;
    };
    for (int i = 0; i < 3; ++i) step();
    const size_t before = step();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(step(), before);
}

TEST(ForgetState, a_link_that_holds_a_graph_is_freed) {
    const auto bytes = [] { return cpu_memory_statistics().bytes_in_use; };
    const auto use = [] {
        LSTM link(4, 64);
        for (int i = 0; i < 2; ++i)
            forget([&](const Variable& x) { return link(x); }, input_of_step(i));
    };
    use();
    const size_t before = bytes();
    use();
    EXPECT_EQ(bytes(), before);
}

TEST(ForgetState, keeps_no_inner_values_of_a_recurrent_step) {
    const auto held_by = [](bool forgets) {
        LSTM link(4, 3);
        const size_t before = cpu_memory_statistics().bytes_in_use;
        const Variable y =
            call<LSTM>(link, input_of_step(0), forgets, [](LSTM& l, const Variable& v) {
                Variable h = v;
                for (int i = 0; i < 20; ++i) h = tanh(exp(h) * 0.1);
                return l(h);
            });
        return cpu_memory_statistics().bytes_in_use - before;
    };
    EXPECT_LT(held_by(true), held_by(false) / 2);
}

TEST(ForgetState, autocast_around_the_forward_call_alone) {
    set_seed(5);
    Linear link(4, 3);
    for (const Dtype dtype : {Dtype::bfloat16, Dtype::float16}) {
        const auto gradients = [&](bool forgets) {
            link.cleargrads();
            const Variable x = input_of_step(0);
            Variable y;
            {
                const auto scope = autocast(dtype);
                y = call<Linear>(link, x, forgets,
                                 [](Linear& l, const Variable& v) { return l(v * 1.01); });
            }
            EXPECT_EQ(y.dtype(), dtype);
            sum(square(cast(y, Dtype::float32))).backward();
            Values all{{"x.grad", numbers(x.grad_variable())}};
            add_contents(link, all);
            return all;
        };
        EXPECT_EQ(gradients(true), gradients(false));
    }
}

TEST(ForgetState, autocast_around_the_backward_call_alone) {
    Linear link(4, 3);
    const auto gradients = [&](bool forgets) {
        link.cleargrads();
        const Variable y = call<Linear>(link, input_of_step(0), forgets,
                                        [](Linear& l, const Variable& v) { return l(v * 1.01); });
        const Variable loss = sum(square(y));
        const auto scope = autocast();
        loss.backward();
        Values all;
        add_contents(link, all);
        return all;
    };
    EXPECT_EQ(gradients(true), gradients(false));
}

TEST(ForgetState, a_number_that_changes_in_between) {
    const auto gradient = [](bool forgets) {
        Cell factor(2);
        const Variable x(Array::from<float>({1, 2}));
        const auto f = [&](const Variable& v) { return exp(square(v * factor) * 0.1); };
        const Variable y = forgets ? forget(f, x) : f(x);
        factor = 3;
        sum(y).backward();
        EXPECT_EQ(factor.value(), 3);
        return numbers(x.grad_variable());
    };
    EXPECT_EQ(gradient(true), gradient(false));
}

TEST(ForgetState, an_error_in_backward_leaves_everything_as_it_was) {
    BatchNormalization normalization(4);
    LSTM link(4, 3);
    bool fails = false;
    const auto f = [&](const Variable& x) {
        const Variable y = link(normalization(x));
        if (fails) throw std::runtime_error("stop");
        return y;
    };
    const Variable y = forget(f, input_of_step(0)), z = forget(f, input_of_step(1));
    const Array mean = normalization.avg_mean.array();
    const Variable h = link.h();
    fails = true;
    const auto scope = autocast();
    const std::vector<int64_t> random = save_random_state();
    EXPECT_THROW(sum(square(y + z)).backward(), std::runtime_error);
    EXPECT_TRUE(normalization.avg_mean.array() == mean);
    EXPECT_EQ(link.h().body(), h.body());
    EXPECT_EQ(save_random_state(), random);
    EXPECT_EQ(autocast_dtype(), Dtype::bfloat16);
    fails = false;
    sum(square(y + z)).backward();
    EXPECT_TRUE(normalization.avg_mean.array() == mean);
    EXPECT_EQ(link.h().body(), h.body());
}

TEST(ForgetState, states_that_others_changed_are_put_back_to_their_change) {
    State count(Array::from<float>({1}));
    const Variable x(Array::from<float>({2}));
    const Variable y = forget(
        [&](const Variable& v) {
            const Variable result = v * count * v;
            count = count + 1;
            return result;
        },
        x);
    count = Array::from<float>({7});
    const Array present = count.array();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(numbers(grad({y}, {x})[0]), Numbers{4});
    EXPECT_TRUE(count.array() == present);
}

TEST(ForgetState, a_region_in_the_function_changes_its_states_once) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    const auto run = [](bool forgets, bool with_graph, Audit audit) {
        State count(Array::from<float>({1, 2, 3}));
        auto region = static_graph(
            [&](const Variable& v) {
                const Variable result = exp(v * count);
                count = count * 1.1 + v;
                return result;
            },
            {.audit = audit});
        Values all;
        for (int i = 0; i < 6; ++i) {
            const Variable x(Array::from<float>({0.1f, 0.2f, 0.3f}));
            const auto called = [&](const Variable& v) {
                const auto mode =
                    using_config(&Config::enable_backprop, with_graph && config().enable_backprop);
                return region(v);
            };
            called(x);
            const auto f = [&](const Variable& v) { return v * v * called(v); };
            sum(forgets ? forget(f, x) : f(x)).backward();
            all["count" + std::to_string(i)] = numbers(count);
            all["grad" + std::to_string(i)] = numbers(x.grad_variable());
        }
        return all;
    };
    // A call that skips the code and needs no graph would overwrite the state's memory.
    for (const Audit audit : {Audit::always, Audit::never})
        for (bool with_graph : {true, false})
            expect_near(run(true, with_graph, audit), run(false, with_graph, audit));
}

TEST(ForgetState, twice_differentiated_with_a_recurrent_link) {
    const auto gradient = [](bool forgets) {
        set_seed(6);
        LSTM link(4, 3);
        const Variable x = input_of_step(0) * 0.1;
        const auto f = [](LSTM& l, const Variable& v) { return l(v); };
        const Variable y = call<LSTM>(link, x, forgets, f) + call<LSTM>(link, x * 2, forgets, f);
        const Variable gx = grad({sum(square(y))}, {x}, {}, {.enable_double_backprop = true})[0];
        sum(square(gx)).backward();
        Values all = states_of(link);
        add_contents(link, all);
        return all;
    };
    expect_near(gradient(true), gradient(false));
}

TEST(ForgetState, a_step_whose_predecessor_was_differentiated_twice) {
    const auto gradient = [](bool forgets) {
        set_seed(6);
        LSTM link(4, 3);
        const Variable x = input_of_step(0);
        const auto f = [](LSTM& l, const Variable& v) { return l(v); };
        const Variable y = call<LSTM>(link, x, forgets, f),
                       z = call<LSTM>(link, input_of_step(1), forgets, f);
        Values all;
        all["first"] =
            numbers(grad({sum(square(y))}, {x}, {}, {.enable_double_backprop = true})[0]);
        all["second"] = numbers(grad({sum(square(z))}, {x})[0]);
        return all;
    };
    expect_near(gradient(true), gradient(false));
}

TEST(ForgetState, a_captured_result_that_was_differentiated_twice) {
    const Variable x(Array::from<float>({2})), w(Array::from<float>({3}));
    const Variable y = forget([](const Variable& h) { return h * h; }, x);
    const Variable z = forget([&](const Variable& h) { return h * y * y; }, w);
    EXPECT_EQ(numbers(grad({y}, {x}, {}, {.enable_double_backprop = true})[0]), Numbers{4});
    EXPECT_EQ(numbers(grad({z}, {x})[0]), Numbers{96});
    EXPECT_EQ(numbers(grad({z}, {w})[0]), Numbers{16});
}

TEST(ForgetState, an_input_that_is_a_result_may_be_differentiated_twice) {
    const Variable x(Array::from<float>({2}));
    const Variables ys = forget(
        [](const Variable& h) { return Variables{h, h * h, Variable(h.array(), false)}; }, x);
    const Variable gx = grad({ys[0] * ys[1]}, {x}, {}, {.enable_double_backprop = true})[0];
    EXPECT_EQ(numbers(gx), Numbers{12});
    EXPECT_EQ(numbers(grad({gx}, {x})[0]), Numbers{12});
}

}  // namespace
}  // namespace catena
