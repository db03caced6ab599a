// Optimizers of which each rank updates a part: the bits of one that is not sharded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include <unistd.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/optimizer/loss_scaling.h"
#include "frontend/optimizer/gather_moments.h"
#include "frontend/optimizer/rules/formula_rule.h"
#include "runtime/comm/local.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/settings/mixed16.h"
#include "runtime/ops/define/define.h"
#include "tests/distributed/odd_net.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Comm = std::shared_ptr<Communicator>;
using Options = MultiNodeOptimizerOptions;
using Rule = std::function<std::shared_ptr<Optimizer>()>;

struct Trained {
    std::vector<float> params;
    std::string state;
    bool operator==(const Trained&) const = default;
};

struct Setting {
    Rule rule = [] { return std::make_shared<Adam>(0.01); };
    bool compiled = false;
    Options options = {};
    int steps = 4;
    /// Called after setup.
    std::function<void(Optimizer&, OddNet&)> prepare = {};
    /// Called before each step.
    std::function<void(Optimizer&, OddNet&, int step)> before = {};
    bool scaled = false;
    float overflow_at = -1;
};

/// Parameters and optimizer after some steps.
Trained train_odd(const Comm& comm, const Setting& setting, bool shard) {
    const auto use = using_config(&Config::use_static_graph, setting.compiled);
    set_seed(7);
    OddNet net;
    const std::shared_ptr<Optimizer> optimizer = setting.rule();
    optimizer->setup(net);
    Options options = setting.options;
    options.shard = shard;
    create_multi_node_optimizer(*optimizer, comm, options);
    const auto scaling = setting.scaled ? loss_scaling(*optimizer, {.initial = 8}) : nullptr;
    if (setting.prepare) setting.prepare(*optimizer, net);
    auto step = static_graph(
        [&](const Variable& x) {
            optimizer->update([&] {
                const Variable y = net(x);
                return sum(y * y) * 0.1f;
            });
        },
        {});
    for (int i = 0; i < setting.steps; ++i) {
        if (setting.before) setting.before(*optimizer, net, i);
        Variable x = odd_rows(i * comm->size() + comm->rank());
        if (float(i) == setting.overflow_at && comm->rank() == 1)
            x = x * std::numeric_limits<float>::infinity();
        step(x);
    }
    return {parameters_of(net), state_of(*optimizer)};
}

/// Equal to the bit, on all ranks, in eager code and compiled.
void expect_equal(Setting setting, std::initializer_list<int> sizes = {2, 3, 4}) {
    for (const bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        setting.compiled = compiled;
        for (const int ranks : sizes)
            run_local(ranks, [&](const Comm& comm) {
                const Trained whole = train_odd(comm, setting, false);
                const Trained parts = train_odd(comm, setting, true);
                EXPECT_EQ(parts.params, whole.params) << ranks << " ranks, compiled " << compiled;
                EXPECT_TRUE(parts.state == whole.state) << ranks << " ranks, compiled " << compiled;
                for (float v : parts.params) ASSERT_TRUE(std::isfinite(v));
            });
    }
}

/// With functions that vectors and single numbers could compute differently.
std::shared_ptr<Optimizer> curved_rule() {
    static const DefinedRule& rule = define_rule(
        {.name = "Curved",
         .states = {{"m", 0.5}},
         .numbers = {{"lr", 0.01}, {"beta", 0.9}},
         .formula = make_formula<4, 2>([](auto p, auto g, auto m, auto t, auto lr, auto beta) {
             auto m1 = beta * m + (1.0 - pow(beta, t)) * tanh(g);
             return std::tuple(p - lr * m1 * exp(-p * p) - lr * log(1.0 + m1 * m1), m1);
         })});
    return std::make_shared<FormulaRule>(rule);
}

template <class Optim, class... Args>
Rule rule_of(Args... args) {
    return [=] { return std::make_shared<Optim>(args...); };
}

TEST(Sharded, every_elementwise_rule_has_the_bits_of_the_whole_update) {
    const std::vector<Rule> rules{rule_of<SGD>(0.1),
                                  rule_of<MomentumSGD>(0.1),
                                  rule_of<CorrectedMomentumSGD>(0.1),
                                  rule_of<NesterovAG>(0.1),
                                  rule_of<AdaGrad>(0.1),
                                  rule_of<AdaDelta>(),
                                  rule_of<AdamW>(AdamOptions{.weight_decay_rate = 0.1}),
                                  rule_of<AMSGrad>(0.01),
                                  rule_of<AdaBound>(0.01),
                                  rule_of<AMSBound>(0.01),
                                  rule_of<RMSprop>(0.01),
                                  rule_of<RMSpropGraves>(0.01),
                                  rule_of<SMORMS3>(0.01),
                                  rule_of<MSVAG>(0.1)};
    for (const Rule& rule : rules) {
        SCOPED_TRACE(rule()->type_name());
        EXPECT_TRUE(rule()->is_elementwise());
        run_local(3, [&](const Comm& comm) {
            const Setting setting{.rule = rule};
            EXPECT_TRUE(train_odd(comm, setting, true) == train_odd(comm, setting, false));
        });
    }
}

TEST(Sharded, adam_has_the_bits_of_the_whole_update) { expect_equal({}); }

TEST(Sharded, a_rule_of_ones_own_has_the_bits_of_the_whole_update) {
    expect_equal({.rule = curved_rule});
}

TEST(Sharded, buckets_of_any_size_overlapping_or_not) {
    expect_equal({.options = {.bucket_bytes = 0}}, {3});
    expect_equal({.options = {.bucket_bytes = 40, .overlap = false}}, {3});
    expect_equal({.options = {.allreduce_grad_dtype = Dtype::float64}}, {2});
}

TEST(Sharded, double_buffering) {
    expect_equal({.options = {.double_buffering = true}, .steps = 5}, {3});
}

//---- hooks

TEST(Sharded, hooks_that_take_parts) {
    expect_equal(
        {.prepare =
             [](Optimizer& optimizer, OddNet& net) {
                 optimizer.add_hook(WeightDecay(0.01)).add_hook(Lasso(0.001));
                 optimizer.update_rule(net.l1.W).add_hook(GradientHardClipping(-0.05, 0.05));
             }},
        {3});
}

TEST(Sharded, hooks_that_need_whole_gradients_get_them) {
    expect_equal({.prepare =
                      [](Optimizer& optimizer, OddNet& net) {
                          optimizer.add_hook(WeightDecay(0.01));
                          optimizer.add_hook(GradientClipping(0.2));
                          optimizer.add_hook(GradientNoise(1e-4));
                          optimizer.update_rule(net.l1.W).add_hook(GradientLARS());
                          optimizer.update_rule(net.scale).add_hook(GradientLARS());
                      }},
                 {2, 4});
}

TEST(Sharded, hooks_of_ones_own_see_whole_parameters_before_and_after) {
    for (const auto timing : {OptimizerHook::Timing::pre, OptimizerHook::Timing::post})
        expect_equal({.prepare =
                          [timing](Optimizer& optimizer, OddNet& net) {
                              optimizer.add_hook(
                                  "largest",
                                  [&net](Optimizer& o) {
                                      for (UpdateSlot* slot : o.active_slots()) {
                                          EXPECT_EQ(slot->param.grad_variable().shape(),
                                                    slot->param.shape());
                                          const Variable p = slot->param;
                                          assign(p, p * 0.99f);
                                      }
                                      assign(net.l1.b, net.l1.b + 0.5f);
                                  },
                                  timing);
                          }},
                     {3});
}

TEST(Sharded, a_hook_that_takes_parts_and_changes_the_parameter_is_an_error) {
    struct Wrong : OptimizerHook {
        OddNet* net;
        explicit Wrong(OddNet& net) : net(&net) {}
        std::string name() const override { return "Wrong"; }
        bool takes_parts() const override { return true; }
        void operator()(Optimizer&) override {
            net->l1.W.set_grad_variable(Variable(Array::zeros(net->l1.W.type()), false));
        }
    };
    try {
        run_local(2, [&](const Comm& comm) {
            train_odd(comm,
                      {.prepare = [](Optimizer& o,
                                     OddNet& net) { o.add_hook(std::make_shared<Wrong>(net)); }},
                      true);
        });
        ADD_FAILURE() << "no error";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("a hook changed /l1/W or its gradient")));
    }
}

//---- parameters of all kinds

TEST(Sharded, rules_of_single_parameters_and_disabled_ones) {
    expect_equal({.prepare =
                      [](Optimizer& optimizer, OddNet& net) {
                          optimizer.update_rule(net.l2.W).use<MomentumSGD>(0.05);
                          optimizer.update_rule(net.l2.b).hyperparameter("alpha") = 0.5;
                          optimizer.update_rule(net.l1.b).set_enabled(false);
                      }},
                 {3});
}

/// Scales a step by the parameter's norm.
struct Normed final : Optimizer {
    std::string type_name() const override { return "Normed"; }
    std::vector<std::string> moment_names() const override { return {"v"}; }
    void update_group(const UpdateGroup& group) override {
        for (UpdateSlot* slot : group.slots) {
            const Variable p = slot->param, g = p.grad_variable();
            assign(slot->moments[0], slot->moments[0] + g);
            assign(p, p - slot->moments[0] * (0.01f * sqrt(sum(p * p))));
        }
    }
};

TEST(Sharded, a_rule_that_is_not_elementwise_updates_whole_parameters) {
    expect_equal({.rule = [] { return std::make_shared<Normed>(); }}, {3});
    expect_equal({.prepare =
                      [](Optimizer& optimizer, OddNet& net) {
                          optimizer.update_rule(net.l2.W).use(std::make_shared<Normed>());
                      }},
                 {3});
}

TEST(Sharded, parameters_without_gradient_or_initialised_late) {
    struct Late : Chain {
        Linear a{4, 4}, b{std::nullopt, 3}, c{4, 4};
        Late() { add_children({{"a", a}, {"b", b}, {"c", c}}); }
    };
    const auto trained = [](const Comm& comm, bool shard, bool zero_fill) {
        set_seed(3);
        Late net;
        Adam adam(0.05);
        adam.setup(net);
        create_multi_node_optimizer(adam, comm, {.zero_fill = zero_fill, .shard = shard});
        for (int i = 0; i < 6; ++i) {
            const Variable x(Array::full({Dtype::float32, {2, 4}}, 0.1 * (i + comm->rank())),
                             false);
            adam.update([&] {
                const Variable h = tanh(net.a(x));
                return i < 3 ? sum(h * h) : sum(square(net.b(h)));
            });
        }
        return std::pair(parameters_of(net), state_of(adam));
    };
    for (const bool zero_fill : {false, true})
        run_local(3, [&](const Comm& comm) {
            EXPECT_EQ(trained(comm, true, zero_fill), trained(comm, false, zero_fill));
        });
}

//---- masters and loss scales

struct Half : Chain {
    Parameter a;
    Half() : a(Array::full({Dtype::float16, {5}}, 0.5), "a") { add_param("a", a); }
};

std::pair<std::vector<float>, std::string> train_half(const Comm& comm, bool compiled, bool scaled,
                                                      bool shard, bool clips) {
    const auto use = using_config(&Config::use_static_graph, compiled);
    Half link;
    Adam adam(1e-4);
    adam.use_fp32_update();
    adam.setup(link);
    create_multi_node_optimizer(adam, comm, {.shard = shard});
    const auto scaling = scaled ? loss_scaling(adam) : nullptr;
    if (clips) adam.add_hook(GradientClipping(0.5));
    auto step = static_graph(
        [&](const Variable& g) {
            link.cleargrads();
            adam.backward(sum(cast(link.a * g, Dtype::float32)));
            adam.update();
        },
        {});
    for (int i = 0; i < 6; ++i) {
        std::vector<float> g{1, -2, 0.5f, float(i), 3};
        if (i == 3 && comm->rank() == 0) g[4] = std::numeric_limits<float>::infinity();
        const Variable all(Array::from(g, {5}).astype(Dtype::float16), false);
        step(i == 3 && !scaled ? odd_rows(0).array().view({5}, {1}, 0).astype(Dtype::float16)
                               : (all * (comm->rank() + 1)).array());
    }
    return {link.a.array().to_vector<float>(), state_of(adam)};
}

TEST(Sharded, masters_and_loss_scales_have_the_bits_of_the_whole_update) {
    for (const bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        for (const bool scaled : {false, true})
            for (const bool clips : {false, true})
                run_local(3, [&](const Comm& comm) {
                    EXPECT_EQ(train_half(comm, compiled, scaled, true, clips),
                              train_half(comm, compiled, scaled, false, clips))
                        << compiled << scaled << clips;
                });
    }
}

TEST(Sharded, an_update_that_is_bad_on_one_rank_is_skipped_on_all) {
    expect_equal({.steps = 5, .scaled = true, .overflow_at = 2}, {3});
}

/// Hooks, rules of single parameters and options, drawn.
Setting drawn_setting(int64_t seed) {
    std::mt19937 random(static_cast<uint32_t>(seed));
    const auto draw = [&](uint32_t below) { return random() % below; };
    const std::vector<Rule> rules{rule_of<SGD>(0.1), rule_of<Adam>(0.01), rule_of<SMORMS3>(0.01),
                                  curved_rule, [] { return std::make_shared<Normed>(); }};
    Setting setting{.rule = rules[draw(5)], .scaled = draw(2) == 0};
    const int64_t bytes[] = {0, 16, 100, 1 << 20};
    setting.options = {.double_buffering = draw(3) == 0,
                       .zero_fill = draw(2) == 0,
                       .bucket_bytes = bytes[draw(4)],
                       .overlap = draw(2) == 0};
    if (setting.scaled && draw(2) == 0) setting.overflow_at = float(1 + draw(3));
    setting.prepare = [hooks = draw(64), special = draw(4)](Optimizer& o, OddNet& net) {
        if (hooks & 1) o.add_hook(WeightDecay(0.01));
        if (hooks & 2) o.add_hook(GradientClipping(0.3));
        if (hooks & 4) o.add_hook(GradientHardClipping(-0.1, 0.1));
        if (hooks & 8) o.update_rule(net.l2.W).add_hook(GradientLARS());
        if (hooks & 16) o.update_rule(net.l1.W).add_hook(Lasso(0.001));
        if (hooks & 32)
            o.add_hook(
                "bounds",
                [](Optimizer& of) {
                    for (UpdateSlot* slot : of.active_slots())
                        assign(slot->param, minimum(slot->param, 0.7));
                },
                OptimizerHook::Timing::post);
        if (special == 1) o.update_rule(net.l1.W).use<MomentumSGD>(0.05);
        if (special == 2) o.update_rule(net.l1.b).use(std::make_shared<Normed>());
        if (special == 3) o.update_rule(net.scale).set_enabled(false);
    };
    return setting;
}

TEST(Sharded, settings_of_any_kind_together) {
    for (int seed = 0; seed < 16; ++seed) {
        SCOPED_TRACE(seed);
        Setting setting = drawn_setting(seed);
        for (const bool compiled : {false, true}) {
            if (compiled && (!compiler_available() || seed % 4 != 0)) continue;
            setting.compiled = compiled;
            run_local(2 + seed % 3, [&](const Comm& comm) {
                const Trained whole = train_odd(comm, setting, false);
                const Trained parts = train_odd(comm, setting, true);
                EXPECT_EQ(parts.params, whole.params) << compiled;
                EXPECT_TRUE(parts.state == whole.state) << compiled;
            });
        }
    }
}

//---- memory

int64_t bytes_of_moments(Optimizer& optimizer) {
    int64_t bytes = 0;
    for (const UpdateSlot& slot : optimizer.slots()) {
        for (const State& moment : slot.moments) bytes += int64_t(moment.array().storage()->bytes);
        if (slot.master.is_initialized()) bytes += int64_t(slot.master.array().storage()->bytes);
    }
    return bytes;
}

TEST(Sharded, a_rank_has_its_part_of_the_moments) {
    std::vector<int64_t> bytes(4);
    int64_t whole = 0;
    run_local(4, [&](const Comm& comm) {
        for (const bool shard : {false, true}) {
            Sequential net{Linear(64, 256), relu, Linear(256, 128), relu, Linear(128, 10)};
            Adam adam;
            adam.setup(net);
            create_multi_node_optimizer(adam, comm, {.shard = shard});
            for (int i = 0; i < 2; ++i)
                adam.update([&] {
                    return sum(net(Variable(Array::full({Dtype::float32, {2, 64}}, 0.1), false)));
                });
            if (shard)
                bytes[size_t(comm->rank())] = bytes_of_moments(adam);
            else if (comm->rank() == 0)
                whole = bytes_of_moments(adam);
        }
    });
    for (const int64_t own : bytes) EXPECT_LE(double(own), 0.26 * double(whole));
    EXPECT_GE(bytes[0] + bytes[1] + bytes[2] + bytes[3], whole);
}

TEST(Sharded, training_goes_on_after_saving_and_saves_on_all_ranks) {
    const std::string file = ::testing::TempDir() + "sharded_all" + std::to_string(getpid());
    for (const bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        run_local(3, [&](const Comm& comm) {
            const std::string own = file + std::to_string(comm->rank());
            const Setting plain{.compiled = compiled, .options = {.double_buffering = true}};
            Setting saving = plain;
            saving.before = [&](Optimizer& optimizer, OddNet&, int step) {
                if (step == 2) save_npz(own, optimizer);
                if (step == 3) gather_moments(optimizer);
            };
            EXPECT_TRUE(train_odd(comm, saving, true) == train_odd(comm, plain, true));
        });
    }
}

TEST(Sharded, what_cannot_be_is_an_error) {
    const auto message = [](const auto& f) -> std::string {
        try {
            run_local(2, f);
        } catch (const std::exception& error) {
            return error.what();
        }
        return "no error";
    };
    // Saved by one rank alone, while the other goes on.
    std::string alone;
    EXPECT_NE(message([&](const Comm& comm) {
                  train_odd(comm,
                            {.before =
                                 [&](Optimizer& optimizer, OddNet&, int step) {
                                     if (step != 2 || comm->rank() > 0) return;
                                     try {
                                         state_of(optimizer);
                                     } catch (const CommunicationError& error) {
                                         alone = error.what();
                                         throw;
                                     }
                                 }},
                            true);
              }),
              "no error");
    EXPECT_THAT(alone, HasSubstr("or on one after gather_moments(optimizer) on all"));
    // No longer sharded.
    EXPECT_THAT(message([](const Comm& comm) {
                    train_odd(comm,
                              {.before =
                                   [&](Optimizer& optimizer, OddNet&, int step) {
                                       if (step == 2) create_multi_node_optimizer(optimizer, comm);
                                   }},
                              true);
                }),
                HasSubstr("call gather_moments(optimizer) on all ranks before another"));
    // On one rank alone.
    EXPECT_THAT(message([](const Comm& comm) { train_odd(comm, {}, comm->rank() == 0); }),
                HasSubstr("rank 0 has shard = true, rank 1 shard = false"));
}

}  // namespace
}  // namespace catena
