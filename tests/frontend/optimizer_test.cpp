#include "frontend/optimizer/rules/adam.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/chain.h"
#include "frontend/optimizer/hooks.h"
#include "frontend/optimizer/rules/sgd.h"
#include "frontend/optimizer/sweep.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/trace/tracing.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A link with parameters of several shapes, one of them larger than what one thread takes at once.
struct Weights : Link {
    Parameter a, b, c;
    explicit Weights(Dtype dtype = Dtype::float32)
        : a(initializers::Normal(1, dtype), Shape{3, 4}),
          b(initializers::Normal(1, dtype), Shape{5}),
          c(initializers::Normal(1, dtype), Shape{300, 100}) {
        add_param("a", a);
        add_param("b", b);
        add_param("c", c);
    }
};

/// A gradient for every step, the same on each run.
Array gradient(const Parameter& p, int step) {
    std::vector<double> values(size_t(p.size()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(double(i) * 0.7 + step);
    return Array::from(values, p.shape()).astype(p.dtype());
}

using Numbers = std::vector<double>;
/// What one parameter's elements should become: changes p in place, with moments kept by name.
using Reference = std::function<void(Numbers& p, const Numbers& g,
                                     std::map<std::string, Numbers>& moments, int t)>;

void expect_steps(Optimizer& optimizer, const Reference& reference, Dtype dtype = Dtype::float32,
                  int steps = 5) {
    set_seed(3);
    Weights link(dtype);
    optimizer.setup(link);
    std::map<Parameter*, std::map<std::string, Numbers>> moments;
    std::map<Parameter*, Numbers> expected;
    for (Parameter* p : link.params()) {
        expected[p] = p->array().to_vector<double>();
        for (const std::string& name : optimizer.moment_names())
            moments[p][name].resize(size_t(p->size()));
    }
    for (int t = 1; t <= steps; ++t) {
        for (Parameter* p : link.params()) {
            p->set_grad(gradient(*p, t));
            reference(expected[p], p->grad().to_vector<double>(), moments[p], t);
        }
        optimizer.update();
    }
    double tolerance = dtype == Dtype::float64 ? 1e-12 : dtype == Dtype::float32 ? 2e-6 : 2e-2;
    for (Parameter* p : link.params()) {
        Numbers found = p->array().to_vector<double>();
        for (size_t i = 0; i < found.size(); ++i)
            ASSERT_NEAR(found[i], expected[p][i],
                        tolerance * std::max(1.0, std::abs(expected[p][i])))
                << p->name() << " element " << i;
    }
    EXPECT_EQ(optimizer.t(), steps);
}

Reference adam_rule(const AdamOptions& o) {
    return [o](Numbers& p, const Numbers& g, std::map<std::string, Numbers>& moments, int t) {
        Numbers &m = moments["m"], &v = moments["v"];
        double alpha_t = o.alpha * std::sqrt(1 - std::pow(o.beta2, t)) / (1 - std::pow(o.beta1, t));
        for (size_t i = 0; i < p.size(); ++i) {
            m[i] += (1 - o.beta1) * (g[i] - m[i]);
            v[i] += (1 - o.beta2) * (g[i] * g[i] - v[i]);
            const double decay = o.weight_decay_rate * (o.decay_by_alpha ? o.alpha : 1);
            p[i] -= o.eta * (alpha_t * m[i] / (std::sqrt(v[i]) + o.eps) + decay * p[i]);
        }
    };
}

TEST(Optimizer, sgd_follows_the_formula) {
    for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::float16}) {
        SGD sgd(0.1);
        expect_steps(
            sgd,
            [](Numbers& p, const Numbers& g, auto&, int) {
                for (size_t i = 0; i < p.size(); ++i) p[i] -= 0.1 * g[i];
            },
            dtype);
    }
}

TEST(Optimizer, momentum_sgd_follows_the_formula) {
    MomentumSGD sgd(0.1, 0.8);
    expect_steps(sgd, [](Numbers& p, const Numbers& g, auto& moments, int) {
        Numbers& v = moments["v"];
        for (size_t i = 0; i < p.size(); ++i) p[i] += v[i] = 0.8 * v[i] - 0.1 * g[i];
    });
}

TEST(Optimizer, adam_follows_the_formula) {
    for (Dtype dtype : {Dtype::float32, Dtype::float64}) {
        Adam adam;
        expect_steps(adam, adam_rule({}), dtype);
    }
}

TEST(Optimizer, adamw_decays_without_the_learning_rate) {
    AdamOptions options{.alpha = 0.01,
                        .beta1 = 0.8,
                        .beta2 = 0.9,
                        .eps = 1e-3,
                        .eta = 0.5,
                        .weight_decay_rate = 0.1};
    AdamW adam(options);
    expect_steps(adam, adam_rule(options), Dtype::float64);
}

TEST(Optimizer, adamw_decays_by_the_learning_rate_where_that_is_wanted) {
    AdamOptions options{.alpha = 0.01,
                        .beta1 = 0.8,
                        .beta2 = 0.9,
                        .eps = 1e-3,
                        .eta = 0.5,
                        .weight_decay_rate = 2,
                        .decay_by_alpha = true};
    AdamW adam(options);
    expect_steps(adam, adam_rule(options), Dtype::float64);
}

// Without gradients only the decay is left: the rate falls from .1 by a hundredth at each step.
TEST(Optimizer, a_decay_by_the_learning_rate_follows_its_schedule) {
    const auto decayed = [](bool by_alpha, bool falling) {
        Weights link;
        link.a.set_array(Array::full(link.a.type(), 1));
        AdamW adam(
            {.alpha = .1, .weight_decay_rate = by_alpha ? .1 : .01, .decay_by_alpha = by_alpha});
        adam.setup(link);
        link.zerograds();
        for (int k = 0; k < 10; ++k) {
            if (falling) adam.alpha = .1 * (1 - .1 * k);
            adam.update();
        }
        return link.a.array().to_vector<double>()[0];
    };
    double product = 1;
    for (int k = 0; k < 10; ++k) product *= 1 - .1 * (1 - .1 * k) * .1;
    EXPECT_NEAR(decayed(true, true), product, 1e-6);
    EXPECT_NEAR(product, .9463, 5e-5);
    EXPECT_NEAR(decayed(true, false), .9044, 5e-5);
    EXPECT_NEAR(decayed(false, true), .9044, 5e-5);
}

TEST(Optimizer, each_kind_of_adam_may_decay_by_the_learning_rate) {
    for (const bool amsgrad : {false, true})
        for (const bool adabound : {false, true}) {
            AdamOptions scaled{.alpha = .05,
                               .weight_decay_rate = .2,
                               .amsgrad = amsgrad,
                               .adabound = adabound,
                               .decay_by_alpha = true};
            AdamOptions plain = scaled;
            plain.weight_decay_rate *= plain.alpha;
            plain.decay_by_alpha = false;
            Weights a, b = a;
            Adam one(scaled), other(plain);
            one.setup(a);
            other.setup(b);
            for (int t = 1; t <= 4; ++t) {
                for (Link* link : {static_cast<Link*>(&a), static_cast<Link*>(&b)})
                    for (Parameter* p : link->params()) p->set_grad(gradient(*p, t));
                one.update();
                other.update();
            }
            for (size_t k = 0; k < a.params().size(); ++k) {
                const auto x = a.params()[k]->array().to_vector<double>(),
                           y = b.params()[k]->array().to_vector<double>();
                for (size_t i = 0; i < x.size(); ++i)
                    EXPECT_NEAR(x[i], y[i], 1e-5) << amsgrad << adabound;
            }
        }
}

TEST(Optimizer, a_changed_hyperparameter_acts_on_the_next_update) {
    SGD sgd(0.1);
    expect_steps(sgd, [&](Numbers& p, const Numbers& g, auto&, int t) {
        double lr = t * 0.5;
        sgd.lr = lr;
        for (size_t i = 0; i < p.size(); ++i) p[i] -= lr * g[i];
    });
}

TEST(Optimizer, one_update_is_one_pass_over_all_parameters_and_in_place) {
    Weights link;
    Adam adam;
    adam.setup(link);
    auto step = [&](int t) {
        for (Parameter* p : link.params()) p->set_grad(gradient(*p, t));
        adam.update();
    };
    step(1);
    SweepStatistics before = sweep_statistics();
    void* at = link.c.array().raw_data();
    step(2);
    EXPECT_EQ(sweep_statistics().launches - before.launches, 1);
    EXPECT_EQ(sweep_statistics().parameters - before.parameters, 3);
    EXPECT_EQ(sweep_statistics().in_place - before.in_place, 9);  // p, m and v of each
    EXPECT_EQ(sweep_statistics().fresh, before.fresh);
    EXPECT_EQ(link.c.array().raw_data(), at);
}

TEST(Optimizer, arrays_read_before_an_update_keep_their_elements) {
    Weights link;
    SGD sgd;
    sgd.setup(link);
    Array seen = link.b.array();
    std::vector<float> elements = seen.to_vector<float>();
    Variable y = link.a * 2.0;  // The graph looks at a's array too.
    link.a.set_grad(gradient(link.a, 1));
    link.b.set_grad(gradient(link.b, 1));
    sgd.update();
    EXPECT_EQ(seen.to_vector<float>(), elements);
    EXPECT_NE(link.b.array().to_vector<float>(), elements);
}

TEST(Optimizer, a_gradient_with_two_owners_is_not_written_for_both) {
    Weights weights, other;
    other.copyparams(weights);
    SGD first(0.1), second(0.1);
    for (auto [sgd, link] : {std::pair(&first, &weights), std::pair(&second, &other)}) {
        sgd->setup(*link);
        sgd->add_hook(WeightDecay(0.5));
        sgd->set_loss_scale(4);
    }
    for (const Parameter* p : weights.params()) p->set_grad(gradient(*p, 1));
    other.addgrads(weights);
    const Variable held = weights.a.grad_variable();
    const std::vector<float> before = held.array().to_vector<float>();
    first.update();
    second.update();
    EXPECT_EQ(held.array().to_vector<float>(), before);
    EXPECT_EQ(weights.a.array().to_vector<float>(), other.a.array().to_vector<float>());
    EXPECT_EQ(weights.c.array().to_vector<float>(), other.c.array().to_vector<float>());
}

TEST(Optimizer, leaves_parameters_without_gradient_disabled_or_uninitialised_alone) {
    struct Mixed : Link {
        Parameter lazy, off, still, moving;
        Mixed()
            : off(Initializer(1.0), Shape{2}),
              still(Initializer(1.0), Shape{2}),
              moving(Initializer(1.0), Shape{2}) {
            add_param("lazy", lazy);
            add_param("off", off);
            add_param("still", still);
            add_param("moving", moving);
        }
    } link;
    SGD sgd(1.0);
    sgd.setup(link);
    link.off.set_update_enabled(false);
    link.off.set_grad(Array::from<float>({1, 1}));
    link.moving.set_grad(Array::from<float>({1, 1}));
    sgd.update();
    EXPECT_THAT(link.off.array().to_vector<float>(), ElementsAre(1, 1));
    EXPECT_THAT(link.still.array().to_vector<float>(), ElementsAre(1, 1));
    EXPECT_THAT(link.moving.array().to_vector<float>(), ElementsAre(0, 0));
}

TEST(Optimizer, moments_and_count_are_states) {
    Weights link;
    Adam adam;
    adam.setup(link);
    link.b.set_grad(gradient(link.b, 1));
    adam.update();
    EXPECT_TRUE(adam.step_count().body()->is_state);
    for (UpdateSlot& slot : adam.slots())
        EXPECT_EQ(slot.moments.size(), slot.path == "/b" ? 2u : 0u);
    EXPECT_TRUE(adam.slots()[1].moments[0].body()->is_state);
    EXPECT_EQ(adam.slots()[1].moments[0].name(), "/b/m");
}

TEST(Optimizer, update_with_a_loss_function_runs_backward) {
    struct Square : Link {
        Parameter w{Initializer(3.0), Shape{}};
        Square() { add_param("w", w); }
    } link;
    SGD sgd(0.1);
    sgd.setup(link);
    for (bool cleargrads : {true, false}) {
        sgd.use_cleargrads(cleargrads);
        float before = link.w.array().item<float>();
        sgd.update([&](double factor) { return link.w * link.w * factor; }, 2.0);
        EXPECT_NEAR(link.w.array().item<float>(), before - 0.1f * 4 * before, 1e-6);
    }
}

TEST(Optimizer, loss_scale_is_divided_out) {
    struct Square : Link {
        Parameter w{Initializer(3.0), Shape{}};
        Square() { add_param("w", w); }
    } link;
    SGD sgd(0.1);
    sgd.setup(link);
    sgd.set_loss_scale(1024);
    sgd.update([&] { return link.w * link.w; });
    EXPECT_NEAR(link.w.array().item<float>(), 3 - 0.1 * 6, 1e-6);
    EXPECT_THROW(sgd.set_loss_scale(0), ValueError);
}

TEST(Optimizer, weight_decay_adds_to_the_gradient) {
    SGD sgd(0.1);
    Weights link;
    sgd.setup(link);
    WeightDecay decay(0.5);
    sgd.add_hook(decay);
    link.b.set_grad(gradient(link.b, 1));
    std::vector<float> p = link.b.array().to_vector<float>(), g = link.b.grad().to_vector<float>();
    sgd.update();
    std::vector<float> after = link.b.array().to_vector<float>();
    for (size_t i = 0; i < p.size(); ++i)
        EXPECT_NEAR(after[i], p[i] - 0.1f * (g[i] + 0.5f * p[i]), 1e-6);
}

TEST(Optimizer, gradient_clipping_scales_to_the_threshold_of_the_global_norm) {
    for (double threshold : {1.0, 1e6}) {
        SGD sgd(1.0);
        Weights link;
        sgd.setup(link);
        sgd.add_hook(GradientClipping(threshold));
        double square = 0;
        std::map<Parameter*, Numbers> before;
        for (Parameter* p : link.params()) {
            p->set_grad(gradient(*p, 1));
            before[p] = p->array().to_vector<double>();
            for (double g : p->grad().to_vector<double>()) square += g * g;
        }
        double rate = std::min(1.0, threshold / std::sqrt(square));
        sgd.update();
        for (Parameter* p : link.params()) {
            Numbers g = gradient(*p, 1).to_vector<double>(), after = p->array().to_vector<double>();
            for (size_t i = 0; i < g.size(); ++i)
                ASSERT_NEAR(after[i], before[p][i] - rate * g[i], 1e-6);
        }
    }
}

TEST(Optimizer, hooks_have_names_and_times) {
    SGD sgd;
    EXPECT_THROW(sgd.add_hook(WeightDecay(0.1)), ValueError);  // setup() first
    Weights link;
    sgd.setup(link);
    std::vector<std::string> calls;
    sgd.add_hook("before",
                 [&](Optimizer& o) { calls.push_back("before " + std::to_string(o.t())); });
    sgd.add_hook(
        "after", [&](Optimizer& o) { calls.push_back("after " + std::to_string(o.t())); },
        OptimizerHook::Timing::post);
    EXPECT_THROW(sgd.add_hook("before", [](Optimizer&) {}), ValueError);
    sgd.update();
    EXPECT_THAT(calls, ElementsAre("before 0", "after 1"));
    sgd.remove_hook("before");
    EXPECT_THROW(sgd.remove_hook("before"), ValueError);
    sgd.update();
    EXPECT_EQ(calls.size(), 3u);
}

TEST(Optimizer, update_before_setup_says_so) {
    Adam adam;
    try {
        adam.update();
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(), HasSubstr("Adam: call setup() first"));
    }
}

/// Notes the names of what it sees.
class NameRecorder final : public Tracing {
public:
    std::vector<std::string> ops;
    std::vector<std::string> assigned_states;
    void saw(const OpCall& call, std::span<const Variable>) override {
        ops.push_back(call.op.name);
        for (const Scalar& s : call.scalars) cells += bool(s.cell());
    }
    void assigned(const Variable& state, const Variable&) override {
        assigned_states.push_back(state.name());
    }
    void changing(VariableBody&, Change) override {}
    void same(const Array&, const Array&) override {}
    void host_read(ArrayBody&) override {}
    int cells = 0;
};

TEST(Optimizer, a_recorder_sees_one_map_a_parameter_and_every_state_assigned) {
    Weights link;
    Adam adam;
    adam.setup(link);
    for (Parameter* p : link.params()) p->set_grad(gradient(*p, 1));
    NameRecorder recorder;
    {
        RecorderScope scope(&recorder);
        adam.update();
    }
    EXPECT_EQ(std::count(recorder.ops.begin(), recorder.ops.end(), "adam_update"), 3);
    EXPECT_EQ(std::count(recorder.ops.begin(), recorder.ops.end(), "adam_step"), 1);
    EXPECT_THAT(recorder.assigned_states, ElementsAre("/t", "/a", "/a/m", "/a/v", "/b", "/b/m",
                                                      "/b/v", "/c", "/c/m", "/c/v"));
    EXPECT_EQ(recorder.cells, 3 + 3 * 3);
}

TEST(Optimizer, a_recorded_update_gives_the_same_numbers) {
    set_seed(4);
    Weights one;
    Weights other = one;
    Adam first, second;
    first.setup(one);
    second.setup(other);
    NameRecorder recorder;
    for (int t = 1; t <= 3; ++t) {
        for (Weights* link : {&one, &other})
            for (Parameter* p : link->params()) p->set_grad(gradient(*p, t));
        first.update();
        RecorderScope scope(&recorder);
        second.update();
    }
    EXPECT_EQ(one.c.array().to_vector<float>(), other.c.array().to_vector<float>());
}

}  // namespace
}  // namespace catena
