// A region that is a model's call, and what may happen between its call and the backward outside:
// nothing of it may show.
#include <functional>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

/// With convolutions, statistics and random numbers. (A bias before a normalization has no gradient
/// but rounding.)
struct ImageNet : Chain {
    Convolution2D c1{3, 8, 3, {.pad = 1, .nobias = true}}, c2{8, 8, 3, {.pad = 1, .nobias = true}};
    BatchNormalization bn{8};
    Linear last{8, 5};
    ImageNet() { add_children({{"c1", c1}, {"c2", c2}, {"bn", bn}, {"last", last}}); }
    Variable operator()(const Variable& x) {
        return last(mean(dropout(relu(c2(relu(bn(c1(x))))), 0.2), {2, 3}));
    }
};

Variable image(int number, int64_t rows = 2) {
    return reshape(batch(number, rows, 3 * 8 * 8), {rows, 3, 8, 8});
}

using Call = std::function<Variable(const Variable&)>;

/// One call and its backward; `clear` removes the region's programs.
struct Step {
    Side& side;
    ImageNet& model;
    int i;
    const Call& f;
    const std::function<void()>& clear;
};

/// Runs `step` plain and in regions of all kinds.
void expect_same_steps(const std::function<void(const Step&)>& step) {
    const StaticGraphOptions kinds[] = {{},
                                        {.memory_budget = 1},
                                        {.cache_bytes = 1},
                                        {.audit = Audit::never},
                                        {.audit = Audit::sampled},
                                        {.keep_grads = true}};
    for (const StaticGraphOptions& options : kinds)
        expect_same(
            [&](Side& side) {
                ImageNet model;
                auto region = side.region([&](const Variable& x) { return model(x); }, options);
                const Call f = [&](const Variable& x) { return region(x); };
                const std::function<void()> clear = [&] { region.clear(); };
                for (int i = 0; i < 12; ++i) {
                    side.call(i);
                    model.cleargrads();
                    step({side, model, i, f, clear});
                    side.saw("model", model);
                    side.saw_random_state();
                }
            },
            {.nearness = {.float32 = 3e-4}});
}

TEST(CaptureOutsideBackward, once_or_several_times) {
    expect_same_steps([](const Step& s) {
        const Variable loss = sum(square(s.f(image(s.i))));
        for (int k = 0; k <= s.i % 3; ++k) loss.backward();
        s.side.saw("loss", loss);
    });
}

TEST(CaptureOutsideBackward, of_several_calls_in_another_order_and_not_of_all) {
    expect_same_steps([](const Step& s) {
        const Variable a = s.f(image(s.i)), b = s.f(image(s.i + 1)), c = s.f(image(s.i + 2, 3));
        sum(square(c)).backward();
        sum(square(a)).backward();
        if (s.i % 2) sum(b).backward();
        s.side.saw("b", b);
    });
}

TEST(CaptureOutsideBackward, after_parameters_and_statistics_have_changed) {
    expect_same_steps([](const Step& s) {
        const Variable loss = sum(square(s.f(image(s.i))));
        if (s.i % 2) s.model.c1.W.set_array((s.model.c1.W * 0.9).array());
        if (s.i % 3 == 0) {
            const auto no_graph = no_backprop_mode();
            for (Parameter* p : s.model.params()) assign(*p, *p * 0.99);
        }
        if (s.i % 4 == 3) s.model.bn.avg_mean.set_array((s.model.bn.avg_mean * 0.0).array());
        loss.backward();
    });
}

TEST(CaptureOutsideBackward, with_other_settings_than_the_call_had) {
    expect_same_steps([](const Step& s) {
        Variable loss;
        {
            const auto train = using_config(&Config::train, s.i % 3 != 1);
            loss = sum(square(s.f(image(s.i))));
        }
        const auto regions = using_config(&Config::use_static_graph, s.i % 3 != 2);
        const auto debug = using_config(&Config::debug, s.i % 4 == 3);
        const auto train = using_config(&Config::train, s.i % 5 != 2);
        loss.backward();
    });
}

TEST(CaptureOutsideBackward, when_the_programs_are_gone_or_on_another_thread) {
    expect_same_steps([](const Step& s) {
        const Variable loss = sum(square(s.f(image(s.i))));
        if (s.i % 3 == 2) s.clear();
        if (s.i % 2)
            std::thread([&] { loss.backward(); }).join();
        else
            loss.backward();
    });
}

TEST(CaptureOutsideBackward, from_gradients_of_any_strides) {
    expect_same_steps([](const Step& s) {
        const Variable y = s.f(image(s.i));
        y.set_grad((s.i % 3 == 0   ? batch(s.i, 2, 5)
                    : s.i % 3 == 1 ? transpose(batch(s.i, 5, 2))
                                   : broadcast_to(batch(s.i, 1, 5), {2, 5}))
                       .array());
        y.backward();
    });
}

TEST(CaptureOutsideBackward, towards_the_input_or_differentiated_again) {
    expect_same_steps([](const Step& s) {
        const Variable x(image(s.i).array()), y = sum(square(s.f(x)));
        if (s.i % 2) {
            y.backward();
            return s.side.saw_gradient("x", x);
        }
        const Variable gx = grad({y}, {x}, {}, {.enable_double_backprop = true})[0];
        sum(square(gx)).backward();
        s.side.saw("gx", gx);
    });
}

TEST(CaptureOutsideBackward, after_the_host_has_written_into_the_result) {
    expect_same_steps([](const Step& s) {
        const Variable y = s.f(image(s.i));
        y.array().data<float>()[0] += 3;
        sum(square(y)).backward();
    });
}

TEST(CaptureOutsideBackward, of_layers_that_are_frozen_for_a_while) {
    expect_same_steps([](const Step& s) {
        if (s.i == 4) s.model.c1.disable_update();
        if (s.i == 8) s.model.c1.enable_update();
        const Variable loss = sum(square(s.f(image(s.i))));
        if (s.i % 3 == 2) loss.unchain_backward();
        loss.backward();
    });
}

TEST(CaptureOutsideBackward, of_results_that_were_kept_for_many_calls) {
    expect_same(
        [](Side& side) {
            ImageNet model;
            auto f = side.region([&](const Variable& x) { return sum(square(model(x))); });
            std::vector<Variable> losses;
            for (int i = 0; i < 12; ++i) {
                side.call(i);
                losses.push_back(f(image(i)));
                if (i % 4 != 3) continue;
                model.cleargrads();
                for (size_t k = 0; k < losses.size(); k += 2) losses[k].backward();
                side.saw("model", model);
                losses.erase(losses.begin());
            }
        },
        {.nearness = {.float32 = 3e-4}});
}

TEST(CaptureOutsideBackward, of_a_region_that_is_no_more) {
    expect_same(
        [](Side& side) {
            ImageNet model;
            Variable loss;
            {
                auto f = side.region([&](const Variable& x) { return sum(square(model(x))); });
                for (int i = 0; i < 4; ++i) {
                    loss = f(image(i));
                    if (i < 3) loss.backward();
                }
            }
            model.cleargrads();
            loss.backward();
            side.saw("model", model);
        },
        {.nearness = {.float32 = 3e-4}});
}

}  // namespace
}  // namespace catena::testing
