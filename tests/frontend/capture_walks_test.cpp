// backward() and grad() inside a region, which are repeated from the third call on without calling
// the gradients.
#include <gtest/gtest.h>

#include <optional>

#include "runtime/core/system/environment.h"
#include "runtime/ops/define/composite.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using VariableList = std::vector<Variable>;

int calls_of_gradient = 0;

/// x * 2, whose gradient is `gradient` (an attribute) times what it should be, and is counted.
const OpDef& op_counted = define_composite({
    .name = "test_counted",
    .input_count = 1,
    .body = [](std::span<const Variable> x, const Attributes&,
               std::span<const Scalar>) { return Variables{x[0] * 2.0}; },
    .gradient =
        [](const GradientCall& c) {
            ++calls_of_gradient;
            return Variables{c.gy() * (2.0 * c.attributes().number("gradient"))};
        },
});

Variable counted(const Variable& x, double gradient = 1) {
    const Variable* input = &x;
    return apply(op_counted, {&input, 1}, current_location(), {{"gradient", gradient}})[0];
}

/// Ten calls of a region that returns gradients.
template <class F>
void expect_gradients(F f) {
    expect_same([&](Side& side) {
        int i = 0;
        auto region = side.region([&](const Variable& x, const Variable& w) { return f(x, w, i); });
        for (; i < 10; ++i) {
            side.call(i);
            side.saw("gradients", region(Variable(batch(i, 2, 3).array()),
                                         Variable(batch(i + 7, 2, 3).array())));
        }
    });
}

TEST(CaptureWalks, gradients_are_called_at_the_first_two_calls_only) {
    if (environment::flag("CATENA_CHECK_WALKS", false))
        GTEST_SKIP() << "CATENA_CHECK_WALKS=1 calls them always";
    for (bool by_grad : {true, false}) {
        auto region = static_graph([=](const Variable& x) {
            const Variable y = sum(counted(square(x)));
            if (by_grad) return grad({y}, {x})[0];
            x.cleargrad();
            y.backward();
            return x.grad_variable();
        });
        calls_of_gradient = 0;
        for (int i = 0; i < 6; ++i) {
            const Variable x(batch(i, 2, 3).array());
            const std::vector<double> g = region(x).array().to_vector<double>(),
                                      v = x.array().to_vector<double>();
            for (size_t k = 0; k < g.size(); ++k) EXPECT_NEAR(g[k], 4 * v[k], 1e-6);
        }
        EXPECT_EQ(calls_of_gradient, 2) << by_grad;
    }
}

TEST(CaptureWalks, an_attribute_that_only_the_gradient_reads) {
    expect_gradients([](const Variable& x, const Variable& w, int i) {
        return grad({sum(counted(x * w, i < 4 ? 1 : i))}, {x})[0];
    });
}

TEST(CaptureWalks, a_number_of_the_graph_that_changes) {
    expect_gradients([](const Variable& x, const Variable& w, int i) {
        return grad({sum(pow(x * w * x, 2.0) * (i < 5 ? 1.5 : i))}, {w})[0];
    });
}

TEST(CaptureWalks, a_cell_of_the_graph_that_changes) {
    const Cell factor(2.0, "factor");
    expect_gradients([=](const Variable& x, const Variable& w, int i) {
        Cell now = factor;
        now = 1.0 + i / 4;
        return grad({sum(exp(x * Scalar(now)) * w)}, {x})[0];
    });
}

TEST(CaptureWalks, a_cell_that_changes_before_the_backward) {
    const Cell factor(0.5, "factor");
    expect_gradients([&](const Variable& x, const Variable& w, int i) {
        Cell now = factor;
        now = i < 5 ? 0.5 : 0.25 * i;
        const Variable y = sum(square(x * w * now));
        now = 0.5;
        return grad({y}, {x})[0];
    });
}

TEST(CaptureWalks, which_variables_are_differentiated) {
    expect_gradients([](const Variable& x, const Variable& w, int i) {
        const Variable a = x * w, b = tanh(a), y = sum(b * a);
        const VariableList of = {y};
        const Variables g = grad(of, i % 3 == 0   ? VariableList{x, a}
                                     : i % 3 == 1 ? VariableList{a, a}
                                                  : VariableList{b, y});
        return VariableList(g.begin(), g.end());
    });
}

TEST(CaptureWalks, two_outputs_and_given_starts) {
    expect_gradients([](const Variable& x, const Variable& w, int i) {
        const Variable a = x * w, y = tanh(a), z = exp(x);
        const Variables g = grad(VariableList{y, z}, VariableList{x, w},
                                 VariableList{z * 0.5, i % 4 == 3 ? y : y * y});
        return VariableList(g.begin(), g.end());
    });
}

TEST(CaptureWalks, a_variable_in_two_places_or_two_variables) {
    expect_gradients([](const Variable& x, const Variable& w, int i) {
        const Variable other(x.array());
        const Variable& second = i % 2 ? x : other;
        for (const Variable& v : {x, other, w}) v.cleargrad();
        sum(tanh(x * w) * second).backward();
        return VariableList{x.grad_variable(), w.grad_variable(),
                            i % 2 ? x : other.grad_variable()};
    });
}

TEST(CaptureWalks, gradients_that_are_there_before) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.1);
        sgd.setup(model);
        auto step = side.region([&](const Variable& x, bool clears, bool twice) {
            if (clears) model.cleargrads();
            const Variable y = model(x);
            sum(square(y)).backward();
            if (twice) sum(exp(y * 0.1)).backward();
            return sum(y);
        });
        for (int i = 0; i < 16; ++i) {
            side.call(i);
            side.saw("y", step(batch(i, 4, 3), i % 3 != 2, i > 7 && i % 4 == 1));
            side.saw("model", model);
        }
    });
}

TEST(CaptureWalks, a_hook_that_comes_later_hears_every_gradient) {
    struct Names : FunctionHook {
        std::string heard;
        std::string name() const override { return "names"; }
        void backward_preprocess(const OpDef& op, std::span<const Array>,
                                 std::span<const Variable>) override {
            heard += op.name + " ";
        }
    };
    expect_same([](Side& side) {
        auto region =
            side.region([](const Variable& x) { return grad({sum(tanh(x) * x)}, {x})[0]; });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            Names names;
            std::optional<FunctionHookScope> scope;
            if (i >= 5) scope.emplace(names);
            side.saw("gradient", region(Variable(batch(i, 2, 3).array())));
            side.saw("heard", names.heard);
        }
    });
}

TEST(CaptureWalks, an_error_after_a_repeated_backward) {
    expect_same(
        [](Side& side) {
            Mlp model;
            SGD sgd(0.1);
            sgd.setup(model);
            auto step = side.region([&](const Variable& x, const Variable& t) {
                model.cleargrads();
                const Variable y = model(x);
                const Variable loss = softmax_cross_entropy(y, t);
                loss.backward();
                sgd.update();
                return sum(select_item(y, t));
            });
            for (int i = 0; i < 12; ++i) {
                side.call(i);
                Variable t = labels(i, 4, 3);
                if (i % 4 == 3) t.array().data<int32_t>()[2] = -7;
                side.fails("step", [&] { step(batch(i, 4, 3), t); });
                side.saw("model", model);
            }
        },
        {.nearness = {.float32 = 1e-4}, .modes = all_modes});
}

TEST(CaptureWalks, an_exception_between_backward_and_update) {
    expect_same(
        [](Side& side) {
            Mlp model;
            SGD sgd(0.1);
            sgd.setup(model);
            int i = 0;
            auto step = side.region([&](const Variable& x) {
                model.cleargrads();
                sum(square(model(x))).backward();
                if (i % 4 == 3) throw std::runtime_error("the user's");
                sgd.update();
            });
            for (; i < 12; ++i) {
                side.call(i);
                side.fails("step", [&] { step(batch(i, 4, 3)); });
                side.saw("model", model);
            }
        },
        {.modes = all_modes});
}

TEST(CaptureWalks, gradients_shared_by_two_variables_stay_shared) {
    expect_gradients([](const Variable& x, const Variable& w, int i) {
        x.cleargrad();
        w.cleargrad();
        const Variable y = x + w;
        y.set_grad(exp(x * 0.5).array());
        y.backward();
        if (i % 2) x.grad_variable().set_array((w * 2.0).array());
        return VariableList{x.grad_variable(), w.grad_variable()};
    });
}

}  // namespace
}  // namespace catena::testing
