// Optimizers in a region: hooks, loss scales, several of them, others at later calls, and what is
// set up again.
#include <memory>

#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

/// Training steps of any optimizer, with `change(i, model, optimizer)` before each.
template <class Change>
void expect_trains(const std::function<std::unique_ptr<Optimizer>()>& make, Change change,
                   int calls = 20) {
    expect_same([&](Side& side) {
        Mlp model;
        std::unique_ptr<Optimizer> optimizer = make();
        optimizer->setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            model.cleargrads();
            loss.backward({.loss_scale = optimizer->loss_scale()});
            optimizer->update();
            return loss;
        });
        for (int i = 0; i < calls; ++i) {
            side.call(i);
            change(i, model, optimizer);
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw("optimizer", *optimizer);
        }
    });
}

std::unique_ptr<Optimizer> momentum() { return std::make_unique<MomentumSGD>(0.05, 0.9); }
std::unique_ptr<Optimizer> adam() { return std::make_unique<Adam>(0.01); }

TEST(CaptureTraining, the_loss_scale_changes) {
    expect_trains(adam, [](int i, Mlp&, auto& optimizer) {
        if (i == 3) optimizer->set_loss_scale(1024);
        if (i == 7) optimizer->set_loss_scale(64);
        if (i == 9) optimizer->set_loss_scale(1);
    });
}

TEST(CaptureTraining, hooks_come_and_go_between_the_calls) {
    expect_trains(momentum, [](int i, Mlp&, auto& optimizer) {
        if (i == 3) optimizer->add_hook(WeightDecay(0.1));
        if (i == 6) optimizer->add_hook(GradientClipping(0.5));
        if (i == 9) optimizer->remove_hook("WeightDecay");
        if (i == 12) optimizer->remove_hook("GradientClipping");
    });
}

TEST(CaptureTraining, a_hook_with_another_number_is_another_hook) {
    expect_trains(momentum, [](int i, Mlp&, auto& optimizer) {
        if (i % 5 == 4) optimizer->remove_hook("WeightDecay");
        if (i % 5 == 0) optimizer->add_hook(WeightDecay(0.1 * i));
    });
    expect_trains(momentum, [](int i, Mlp&, auto& optimizer) {
        static std::shared_ptr<GradientClipping> clipping;
        if (i == 0) optimizer->add_hook(clipping = std::make_shared<GradientClipping>(1.0));
        clipping->threshold = 1.0 / (1 + i);
    });
}

TEST(CaptureTraining, hooks_of_the_user_see_and_change_the_gradients) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        int seen = 0;
        double noise = 0.1;
        sgd.add_hook("scale", [&](Optimizer& optimizer) {
            ++seen;
            for (UpdateSlot* slot : optimizer.active_slots())
                slot->param.set_grad_variable(slot->param.grad_variable() * (1.0 + noise * seen));
        });
        sgd.add_hook(
            "project",
            [&](Optimizer& optimizer) {
                for (UpdateSlot* slot : optimizer.active_slots())
                    if (seen % 2) assign(slot->param, clip(slot->param, -0.4, 0.4));
            },
            OptimizerHook::Timing::post);
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            learn(model, sgd, loss);
            return loss;
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            if (i == 6) noise = 0.5;
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw("seen", seen);
        }
        step.expect_programs(2);
    });
}

TEST(CaptureTraining, a_function_hook_sees_every_operation_that_runs) {
    struct Names : FunctionHook {
        std::vector<std::string> forward, backward;
        std::string name() const override { return "names"; }
        void forward_preprocess(const OpDef& op, std::span<const Variable* const>) override {
            forward.emplace_back(op.name);
        }
        void backward_preprocess(const OpDef& op, std::span<const Array>,
                                 std::span<const Variable>) override {
            backward.emplace_back(op.name);
        }
    };
    expect_same([](Side& side) {
        Mlp model;
        auto f = side.region([&](const Variable& x) {
            Names names;
            Variable loss;
            {
                FunctionHookScope scope(names);
                loss = sum(square(model(x)));
                model.cleargrads();
                loss.backward();
            }
            side.saw("forward", names.forward);
            side.saw("backward", names.backward);
            return loss;
        });
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            side.saw("loss", f(batch(i, 2, 3)));
        }
    });
}

TEST(CaptureTraining, another_optimizer_takes_over) {
    expect_trains(momentum, [](int i, Mlp& model, auto& optimizer) {
        if (i == 5) optimizer = adam();
        if (i == 10) optimizer = std::make_unique<SGD>(0.1);
        if (i == 15) optimizer = momentum();
        if (i % 5 == 0) optimizer->setup(model);
    });
}

TEST(CaptureTraining, the_optimizer_is_set_up_again_on_a_part_and_on_the_whole) {
    expect_trains(adam, [](int i, Mlp& model, auto& optimizer) {
        if (i == 6) optimizer->setup(model.l2);
        if (i == 12) optimizer->setup(model);
        if (i == 16) optimizer->set_step_count(3);
    });
}

TEST(CaptureTraining, two_optimizers_alternate_on_one_model) {
    expect_same([](Side& side) {
        Mlp model;
        Adam adam(0.01);
        SGD sgd(0.05);
        adam.setup(model);
        sgd.setup(model);
        int calls = 0;
        auto step = side.region([&](const Variable& x) {
            Optimizer& optimizer = calls++ % 3 == 2 ? static_cast<Optimizer&>(sgd) : adam;
            Variable loss = sum(square(model(x)));
            learn(model, optimizer, loss);
            return loss;
        });
        for (int i = 0; i < 15; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw("adam", adam);
            side.saw("sgd", sgd);
        }
        step.expect_programs(2);
    });
}

TEST(CaptureTraining, a_generator_and_a_critic_train_in_one_region) {
    expect_same([](Side& side) {
        Mlp generator, critic;
        Adam of_generator(0.01), of_critic(0.02);
        of_generator.setup(generator);
        of_critic.setup(critic);
        int calls = 0;
        auto step = side.region([&](const Variable& real) {
            Variable noise = random_normal(real.shape());
            Variable fake = generator(noise);
            Variable scored = mean(softplus(critic(fake))) + mean(softplus(-critic(real)));
            critic.cleargrads();
            scored.backward();
            of_critic.update();
            Variable fooled = Variable(Array::zeros({Dtype::float32, {}}), false);
            if (++calls % 2 == 0) {  // The generator learns every second time.
                fooled = mean(softplus(-critic(generator(random_normal(real.shape())))));
                generator.cleargrads();
                fooled.backward();
                of_generator.update();
            }
            return std::pair(scored, fooled);
        });
        for (int i = 0; i < 16; ++i) {
            side.call(i);
            auto [scored, fooled] = step(batch(i, 4, 3));
            side.saw("scored", scored);
            side.saw("fooled", fooled);
            side.saw("generator", generator);
            side.saw("critic", critic);
            side.saw("of generator", of_generator);
            side.saw("of critic", of_critic);
            side.saw_random_state();
        }
        step.expect_programs(
            4);  // The critic alone or both; gradients of the generator begun or added to.
    });
}

TEST(CaptureTraining, several_updates_are_made_in_one_call) {
    expect_same([](Side& side) {
        Mlp model;
        Adam adam(0.01);
        adam.setup(model);
        int rounds = 1;
        auto step = side.region([&](const Variable& x) {
            Variable loss;
            for (int k = 0; k < rounds; ++k) {
                loss = sum(square(model(x)));
                learn(model, adam, loss);
            }
            return loss;
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            rounds = 1 + i % 3;
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw("adam", adam);
        }
        step.expect_programs(3);
    });
}

TEST(CaptureTraining, an_update_by_a_loss_function_is_part_of_the_region) {
    expect_same([](Side& side) {
        Mlp model;
        Adam adam(0.01);
        adam.setup(model);
        Variable last;
        auto step = side.region([&](const Variable& x, const Variable& t) {
            adam.update(
                [&](const Variable& a, const Variable& b) {
                    return last = softmax_cross_entropy(model(a), b);
                },
                x, t);
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            if (i == 6) adam.use_cleargrads(false);
            if (i == 8) adam.set_loss_scale(16);
            step(batch(i, 4, 3), labels(i, 4, 3));
            side.saw("last", last);
            side.saw("model", model);
            side.saw("adam", adam);
        }
    });
}

TEST(CaptureTraining, a_saved_optimizer_and_model_are_loaded_between_the_calls) {
    expect_same([](Side& side) {
        Mlp model;
        Adam adam(0.01);
        adam.setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            learn(model, adam, loss);
            return loss;
        });
        Mlp kept;
        int64_t t = 0;
        for (int i = 0; i < 14; ++i) {
            side.call(i);
            if (i == 4) {
                kept = model;
                t = adam.t();
            }
            if (i == 9) {
                model.copyparams(kept);
                adam.set_step_count(t);
            }
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw("adam", adam);
        }
        step.expect_programs(1);
    });
}

TEST(CaptureTraining, every_network_trains_as_eager_with_all_it_has) {
    expect_same(
        [](Side& side) {
            NoisyNet model;
            Adam adam(0.01);
            adam.setup(model);
            adam.add_hook(WeightDecay(1e-3));
            adam.add_hook(GradientClipping(1.0));
            auto step = side.region([&](const Variable& x, const Variable& t) {
                Variable scores = model(x);
                Variable loss = softmax_cross_entropy(scores, t);
                learn(model, adam, loss);
                return std::pair(loss, accuracy(scores, t));
            });
            for (int i = 0; i < 30; ++i) {
                side.call(i);
                const int64_t rows = i % 7 == 6 ? 5 : 8;
                auto [loss, right] = step(batch(i, rows, 3), labels(i, rows, 3));
                side.saw("loss", loss);
                side.saw("right", right);
                side.saw("model", model);
                side.saw("adam", adam);
                side.saw_random_state();
            }
        },
        {.nearness = {.float32 = 2e-4}, .modes = all_modes});
}

}  // namespace
}  // namespace catena::testing
