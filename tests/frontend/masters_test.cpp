// use_fp32_update: 16-bit parameters that are updated through float32 masters.
#include "frontend/optimizer/masters.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "frontend/optimizer/loss_scaling.h"
#include "runtime/graph/settings/mixed16.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using Numbers = std::vector<double>;

Array numbers(double factor, double offset, double (*f)(double)) {
    Numbers values(12);
    for (size_t i = 0; i < values.size(); ++i) values[i] = f(double(i) * factor + offset);
    return Array::from(values, {3, 4});
}

struct Weights : Chain {
    Parameter a;
    explicit Weights(Dtype dtype) : a(numbers(0.9, 0, std::cos).astype(dtype), "a") {
        add_param("a", a);
    }
    void set_gradient(int t) { a.set_grad(numbers(0.7, t, std::sin).astype(a.dtype())); }
};

Numbers elements(const Variable& v) { return v.array().to_vector<double>(); }

TEST(Masters, keep_updates_that_16_bits_lose) {
    for (const Dtype dtype : {Dtype::bfloat16, Dtype::float16}) {
        for (const bool use : {false, true}) {
            Weights link(dtype);
            link.a.set_array(Array::full({dtype, {3, 4}}, 1));
            SGD sgd(1e-4);
            sgd.setup(link);
            sgd.use_fp32_update(use);
            for (int t = 0; t < 100; ++t) {
                link.a.set_grad(Array::full(link.a.type(), 1));
                sgd.update();
            }
            EXPECT_EQ(link.a.dtype(), dtype);
            EXPECT_NEAR(elements(link.a)[0], use ? 0.99 : 1, 1.0 / 256);
            EXPECT_EQ(elements(link.a)[0] == 1, !use);
            if (use) {
                EXPECT_NEAR(elements(sgd.slots()[0].master)[5], 0.99, 1e-5);
            }
        }
    }
}

TEST(Masters, are_those_of_chainer) {
    const NpzFile chainer(CATENA_SOURCE_DIR "/tests/conformance/chainer_fp32_update.npz");
    const std::vector<std::pair<std::string, std::function<std::unique_ptr<Optimizer>()>>> rules = {
        {"SGD", [] { return std::make_unique<SGD>(1e-4); }},
        {"MomentumSGD", [] { return std::make_unique<MomentumSGD>(1e-4); }},
        {"Adam", [] { return std::make_unique<Adam>(1e-4); }},
        {"RMSprop", [] { return std::make_unique<RMSprop>(RMSpropOptions{.lr = 1e-4}); }},
        {"decay", [] { return std::make_unique<MomentumSGD>(1e-4); }}};
    for (const auto& [name, make] : rules) {
        const Numbers masters = chainer.read(name + "/master").to_vector<double>(),
                      params = chainer.read(name + "/param").to_vector<double>();
        Weights link(Dtype::float16);
        const auto optimizer = make();
        optimizer->use_fp32_update();
        optimizer->setup(link);
        if (name == "decay") optimizer->update_rule(link.a).add_hook(WeightDecay(0.1));
        for (int t = 1; t <= 20; ++t) {
            link.set_gradient(t);
            optimizer->update();
            const Numbers master = elements(optimizer->slots()[0].master), param = elements(link.a);
            for (size_t i = 0; i < 12; ++i) {
                ASSERT_NEAR(master[i], masters[size_t(t - 1) * 12 + i], 3e-7)
                    << name << " step " << t << " element " << i;
                ASSERT_NEAR(param[i], params[size_t(t - 1) * 12 + i], 1e-3)
                    << name << " step " << t << " element " << i;
            }
            ASSERT_EQ(
                param,
                optimizer->slots()[0].master.array().astype(Dtype::float16).to_vector<double>());
        }
    }
}

TEST(Masters, give_hooks_and_moments_float32_and_are_gone_after_the_update) {
    Weights link(Dtype::bfloat16);
    Adam adam;
    adam.use_fp32_update();
    adam.setup(link);
    std::vector<Dtype> seen;
    adam.add_hook("look", [&](Optimizer& optimizer) {
        UpdateSlot& slot = *optimizer.active_slots()[0];
        seen = {slot.param.dtype(), slot.param.grad_variable().dtype()};
        optimizer.update_rule(link.a).hyperparameter("alpha") = 0.01;
    });
    adam.add_hook(GradientClipping(1.0));
    link.set_gradient(1);
    adam.update();
    EXPECT_EQ(seen, (std::vector<Dtype>{Dtype::float32, Dtype::float32}));
    EXPECT_EQ(adam.slots()[0].moments[0].dtype(), Dtype::float32);
    EXPECT_EQ(adam.slots()[0].param.body(), link.a.body());
    EXPECT_EQ(adam.update_rule(link.a).state("v").dtype(), Dtype::float32);
    EXPECT_THROW(adam.update_rule(link.a).state("w"), ValueError);
}

TEST(Masters, follow_a_parameter_that_somebody_else_changed) {
    Weights link(Dtype::bfloat16);
    SGD sgd(1e-4);
    sgd.setup(link).use_fp32_update();
    for (int t = 0; t < 3; ++t) link.set_gradient(t), sgd.update();
    const Numbers kept = elements(sgd.slots()[0].master);
    Numbers values = elements(link.a);
    values[4] = 7;
    link.a.set_array(Array::from(values, {3, 4}).astype(Dtype::bfloat16));
    link.a.set_grad(Array::zeros(link.a.type()));
    sgd.update();
    const Numbers after = elements(sgd.slots()[0].master);
    for (size_t i = 0; i < 12; ++i) EXPECT_EQ(after[i], i == 4 ? 7 : kept[i]) << i;
    EXPECT_EQ(elements(link.a)[4], 7);
}

TEST(Masters, follow_a_hook_after_the_update) {
    Weights link(Dtype::bfloat16);
    SGD sgd(1e-4);
    sgd.setup(link).use_fp32_update();
    sgd.add_hook(
        "clip",
        [](Optimizer& optimizer) {
            for (UpdateSlot* slot : optimizer.active_slots())
                assign(slot->param, clip(slot->param, -0.5, 0.5));
        },
        OptimizerHook::Timing::post);
    link.set_gradient(1);
    sgd.update();
    EXPECT_EQ(elements(link.a)[0], 0.5);
    EXPECT_EQ(elements(sgd.slots()[0].master)[0], 0.5);
}

TEST(Masters, refuse_a_hook_that_changes_the_gradient_they_were_made_from) {
    Weights link(Dtype::bfloat16);
    SGD sgd;
    sgd.setup(link).use_fp32_update();
    sgd.add_hook("own", [&](Optimizer&) { link.a.set_grad(Array::zeros(link.a.type())); });
    link.set_gradient(1);
    try {
        sgd.update();
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_NE(std::string(error.what()).find("/a, which is updated in float32"),
                  std::string::npos)
            << error.what();
    }
    EXPECT_EQ(sgd.slots()[0].param.body(), link.a.body());
}

TEST(Masters, are_saved_and_loaded) {
    auto begin = [](Weights& link, Adam& adam) { adam.setup(link).use_fp32_update(); };
    Weights whole(Dtype::bfloat16), first(Dtype::bfloat16), second(Dtype::bfloat16);
    Adam a(1e-4), b(1e-4), c(1e-4);
    begin(whole, a), begin(first, b), begin(second, c);
    auto run = [](Weights& link, Adam& adam, int from, int to) {
        for (int t = from; t < to; ++t) link.set_gradient(t), adam.update();
    };
    run(whole, a, 0, 10);
    run(first, b, 0, 5);
    std::stringstream links, optimizers;
    save_npz(links, first);
    save_npz(optimizers, b);
    load_npz(links, second);
    load_npz(optimizers, c);
    EXPECT_EQ(elements(c.slots()[0].master), elements(b.slots()[0].master));
    run(second, c, 5, 10);
    EXPECT_EQ(elements(second.a), elements(whole.a));
    EXPECT_EQ(elements(c.slots()[0].master), elements(a.slots()[0].master));
}

TEST(Masters, divide_by_the_loss_scale_in_float32) {
    for (const bool dynamic : {false, true}) {
        Weights link(Dtype::float16);
        link.a.set_array(Array::full(link.a.type(), 1));
        SGD sgd(1000);
        sgd.setup(link).use_fp32_update();
        std::shared_ptr<LossScaling> scaling;
        if (dynamic)
            scaling = loss_scaling(sgd, {.initial = 32768});
        else
            sgd.set_loss_scale(32768);
        link.a.set_grad(
            Array::full(link.a.type(), 0.001));  // Divided, it is 3e-8: nothing in float16.
        sgd.update();
        EXPECT_NEAR(elements(sgd.slots()[0].master)[0], 1 - 1000 * 0.001 / 32768, 2e-7) << dynamic;
    }
}

// Gradients that are exact in 16 bits: what is computed before them may be rounded elsewhere in a
// program.
TEST(Masters, of_a_step_are_one_program_with_the_same_trajectory) {
    for (const bool scaled : {false, true})
        expect_same([&](Side& side) {
            Weights link(Dtype::bfloat16);
            Adam adam(0.001);
            adam.use_fp32_update();
            adam.setup(link);
            adam.add_hook(WeightDecay(0.01));
            const auto scaling = scaled ? loss_scaling(adam) : nullptr;
            auto region = side.region([&](const Variable& g) {
                Variable loss = sum(cast(link.a * g, Dtype::float32));
                link.cleargrads();
                adam.backward(loss);
                adam.update();
                return loss;
            });
            for (int i = 0; i < 12; ++i) {
                side.call(i);
                Variable g = batch(i, 3, 4, Dtype::bfloat16);
                if (scaled && i == 7) g = g * std::numeric_limits<double>::infinity();
                region(g);
                side.saw("a", link.a.array());
                UpdateSlot& slot = adam.slots()[0];
                side.saw("master", slot.master.array());
                for (const State& moment : slot.moments) side.saw(moment.name(), moment.array());
                if (scaled) side.saw("safe", scaling->is_safe_to_update());
            }
            region.expect_programs(1, 2);
        });
}

struct MixedNet : Chain {
    Linear l1{3, 6};
    BatchNormalization bn{6};
    GroupNormalization gn{2, 6};
    Linear l2{6, 2};
    MixedNet() { add_children({{"l1", l1}, {"bn", bn}, {"gn", gn}, {"l2", l2}}); }
    Variable operator()(const Variable& x) { return l2(relu(gn(bn(l1(x))))); }
};

TEST(Mixed16, has_float16_parameters_but_those_of_normalizations) {
    const auto scope = mixed16();
    MixedNet net;
    for (const auto& [path, param] : net.namedparams())
        EXPECT_EQ(param->dtype(), path[1] == 'l' ? Dtype::float16 : Dtype::float32) << path;
    EXPECT_EQ(net.bn.avg_var.dtype(), Dtype::float32);
    EXPECT_EQ(high_precision_dtype(), Dtype::float32);
    const auto inner = using_config(&Config::dtype, Dtype::float64);
    EXPECT_EQ(high_precision_dtype(), Dtype::float64);
}

TEST(Mixed16, is_set_by_the_environment) {
    for (const char* word : {"mixed16", "float16"}) {
        Dtype plain{}, precise{};
        setenv("CATENA_DTYPE", word, 1);
        std::thread([&] {
            plain = config().dtype, precise = high_precision_dtype();
        }).join();  // A new thread looks there.
        unsetenv("CATENA_DTYPE");
        EXPECT_EQ(plain, Dtype::float16);
        EXPECT_EQ(precise, word[0] == 'f' ? Dtype::float16 : Dtype::float32) << word;
    }
}

TEST(Mixed16, learns_with_masters_and_a_loss_scale_as_float32_does) {
    std::vector<double> last;
    for (const bool mixed : {false, true}) {
        std::optional<Mixed16Scope> scope;
        if (mixed) scope.emplace();
        set_seed(1);
        MixedNet net;
        MomentumSGD sgd(0.05);
        sgd.use_fp32_update();
        sgd.setup(net);
        const auto scaling = loss_scaling(sgd);
        auto step = static_graph([&](const Variable& x, const Variable& t) {
            const Variable y = net(x);
            if (mixed) {
                EXPECT_EQ(y.dtype(), Dtype::float16);
            }
            const Variable loss = softmax_cross_entropy(cast(y, Dtype::float32), t);
            net.cleargrads();
            sgd.backward(loss);
            sgd.update();
            return loss;
        });
        double loss = 0;
        for (int i = 0; i < 60; ++i)
            loss = step(batch(i % 4, 8, 3, config().dtype), labels(i % 4, 8, 2)).item<double>();
        last.push_back(loss);
    }
    EXPECT_LT(last[0], 0.5);
    EXPECT_NEAR(last[1], last[0], 0.05);
}

TEST(Optimizer, reallocate_cleared_grads_updates_what_has_no_gradient_by_its_moments) {
    Weights link(Dtype::float32);
    MomentumSGD sgd(0.1);
    sgd.setup(link);
    link.set_gradient(1);
    sgd.update();
    const Numbers before = elements(link.a), v = elements(sgd.slots()[0].moments[0]);
    link.cleargrads();
    sgd.update();
    EXPECT_EQ(elements(link.a), before);
    sgd.reallocate_cleared_grads();
    sgd.update();
    for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(elements(link.a)[i], before[i] + 0.9 * v[i], 1e-6);
}

TEST(Optimizer, counts_epochs_by_the_updater_or_by_the_user) {
    Weights link(Dtype::float32);
    SGD sgd;
    sgd.setup(link);
    sgd.new_epoch();
    EXPECT_THROW(sgd.new_epoch(true), ValueError);
    sgd.use_auto_new_epoch = true;
    EXPECT_THROW(sgd.new_epoch(), ValueError);
    sgd.new_epoch(true);
    EXPECT_EQ(sgd.epoch(), 2);
}

TEST(LossScaling, checks_gradients_and_renews_the_scale_in_a_loop_of_ones_own) {
    Weights link(Dtype::float32);
    SGD sgd;
    sgd.setup(link);
    const auto scaling = loss_scaling(sgd, {.initial = 8});
    link.set_gradient(1);
    scaling->check_nan_in_grads(sgd);
    EXPECT_TRUE(scaling->is_safe_to_update());
    scaling->update_loss_scale();
    EXPECT_EQ(scaling->scale(), 16);
    link.a.set_grad(Array::full(link.a.type(), INFINITY));
    scaling->check_nan_in_grads(sgd);
    EXPECT_FALSE(scaling->is_safe_to_update());
    scaling->update_loss_scale();
    EXPECT_EQ(scaling->scale(), 8);
}

}  // namespace
}  // namespace catena::testing
