// Calls that skip the code notice changes of optimizers, links and hooks between them.
#include <gtest/gtest.h>

#include "frontend/link/hooks/spectral_normalization.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

struct Trained {
    Mlp model;
    MomentumSGD optimizer{0.1};
};

using Change = std::function<void(Trained&)>;

/// Twelve steps with a change before the sixth and the eleventh, eagerly and with calls that skip
/// the code.
void expect_noticed(const char* name, const Change& change, const Change& before = {}) {
    for (const Audit audit : {Audit::never, Audit::sampled}) {
        SCOPED_TRACE(fmt::format("{}, {}", name, audit == Audit::never ? "never" : "sampled"));
        expect_same([&](Side& side) {
            Trained t;
            t.optimizer.setup(t.model);
            if (before) before(t);
            auto region = side.region(
                [&](const Variable& x) {
                    const Variable loss = sum(square(t.model(x)));
                    t.model.cleargrads();
                    t.optimizer.backward(loss);
                    t.optimizer.update();
                    return loss;
                },
                {.audit = audit});
            for (int i = 0; i < 12; ++i) {
                side.call(i);
                if (i == 5 || i == 10) change(t);
                side.saw("loss", region(batch(i, 2, 3)));
                side.saw("model", t.model);
            }
            const auto counts = region.counts();
            if (counts && counts->eager_calls == 0) {
                EXPECT_LT(counts->followed_calls, counts->calls) << "none was skipped";
            }
        });
    }
}

const Change freeze = [](Trained& t) { t.model.l1.disable_update(); };

TEST(SkippedChanges, of_an_optimizer_are_noticed) {
    expect_noticed("set_loss_scale",
                   [](Trained& t) { t.optimizer.set_loss_scale(2 * t.optimizer.loss_scale()); });
    expect_noticed("setup", [](Trained& t) { t.optimizer.setup(t.model); });
    expect_noticed("add_hook", [n = 0](Trained& t) mutable {
        t.optimizer.add_hook(WeightDecay(0.1), fmt::format("decay{}", ++n));
    });
    expect_noticed(
        "remove_hook",
        [](Trained& t) {
            t.optimizer.call_hooks(OptimizerHook::Timing::post);
            try {
                t.optimizer.remove_hook("WeightDecay");
            } catch (const ValueError&) {
            }
        },
        [](Trained& t) { t.optimizer.add_hook(WeightDecay(0.1)); });
    expect_noticed("use_fp32_update", [](Trained& t) { t.optimizer.use_fp32_update(); });
}

TEST(SkippedChanges, of_a_parameters_rule_are_noticed) {
    const auto rule = [](Trained& t) { return t.optimizer.update_rule(t.model.l1.W); };
    expect_noticed("use", [&](Trained& t) { rule(t).use<SGD>(0.3); });
    expect_noticed(
        "follow_optimizer", [&](Trained& t) { rule(t).follow_optimizer(); },
        [&](Trained& t) { rule(t).use<SGD>(0.3); });
    expect_noticed("its own number", [&](Trained& t) {
        Cell lr = rule(t).hyperparameter("lr");
        lr = lr.value() / 2;
    });
    expect_noticed("set_enabled", [&](Trained& t) { rule(t).set_enabled(!rule(t).enabled()); });
    expect_noticed("add_hook", [&, n = 0](Trained& t) mutable {
        rule(t).add_hook(WeightDecay(0.1), fmt::format("decay{}", ++n));
    });
}

TEST(SkippedChanges, of_a_link_are_noticed) {
    expect_noticed("disable_update", freeze);
    expect_noticed("enable_update", [](Trained& t) { t.model.enable_update(); }, freeze);
    expect_noticed("an assigned layer", [](Trained& t) {
        t.model.l1 =
            Linear::from_params(batch(7, 4, 3).array(), Array::full({Dtype::float32, {4}}, 0.5));
    });
    expect_noticed("an assigned parameter",
                   [](Trained& t) { t.model.l2.W = Parameter(batch(9, 3, 4).array()); });
    expect_noticed("a link's hook", [](Trained& t) {
        if (t.model.l2.hooks().empty())
            t.model.l2.add_hook(link_hooks::SpectralNormalization());
        else
            t.model.l2.delete_hook("SpectralNormalization");
        t.optimizer.setup(t.model);
    });
}

TEST(SkippedChanges, of_lists_are_noticed) {
    for (const Audit audit : {Audit::never, Audit::sampled})
        expect_same([&](Side& side) {
            Sequential net{
                Linear::from_params(batch(1, 3, 3).array(), Array::zeros({Dtype::float32, {3}})),
                relu};
            auto region = side.region([&](const Variable& x) { return net(x); }, {.audit = audit});
            for (int i = 0; i < 12; ++i) {
                side.call(i);
                if (i == 5) net.replace(1, [](const Variable& x) { return tanh(x); });
                if (i == 6) net.append([](const Variable& x) { return sigmoid(x); });
                if (i == 9) net.erase(1);
                side.saw("y", region(batch(i, 2, 3)));
            }
        });
}

TEST(SkippedChanges, cost_no_call_its_skipping_where_there_are_none) {
    Trained t;
    t.optimizer.setup(t.model);
    auto region = static_graph(
        [&](const Variable& x) {
            learn(t.model, t.optimizer, sum(square(t.model(x))));
            t.model.l1.enable_update();  // Changes nothing.
            t.optimizer.set_loss_scale(1);
            t.optimizer.use_cleargrads(true);
        },
        {.audit = Audit::never});
    for (int i = 0; i < 10; ++i) {
        t.optimizer.lr = 0.1 / (i + 1);  // A number that the program reads.
        region(batch(i, 2, 3));
    }
    const StaticGraphStatistics counts = region.statistics();
    if (counts.eager_calls > 0) GTEST_SKIP() << "static graphs are off";
    EXPECT_LE(counts.followed_calls, 2);
}

}  // namespace
}  // namespace catena::testing
