// Training as users write it: several optimizers, shared and replaced parameters, accumulation,
// hooks, files and copies.
#include <sstream>

#include "frontend/serializer/npz.h"
#include "tests/frontend/ordinary_programs.h"

namespace catena::ordinary {
namespace {

void push_parameters(Arrays& out, const Link& link) {
    for (auto& [name, p] : link.namedparams()) {
        out.push_back(p->array());
        out.push_back(p->grad());
    }
}

Array number(double x) { return Array::from(std::vector<float>{float(x)}, {1}); }

/// Trains Net in a region with an optimizer; `change` is called before each step.
template <class O, class Change>
void train_with(Arrays& out, O& o, const Change& change, int steps = 24) {
    Net n;
    fill(n);
    o.setup(n);
    auto r = static_graph(
        [&](Variable x) {
            Variable l = sum(n(x) * n(x));
            n.cleargrads();
            l.backward();
            o.update();
            return l;
        },
        {.name = "r", .keep_grads = true});
    for (int i = 0; i < steps; ++i) {
        change(i, n);
        out.push_back(r(numbers({3, 5}, i)).array());
        push_parameters(out, n);
        out.push_back(number(double(o.t())));
    }
}

template <class O>
void expect_training(const std::function<void(int, Net&, O&)>& change = [](int, Net&, O&) {}) {
    expect_same_without_regions([&](Arrays& out) {
        O o;
        train_with(out, o, [&](int i, Net& n) { change(i, n, o); });
    });
}

TEST(OrdinaryTraining, with_momentum) { expect_training<MomentumSGD>(); }
TEST(OrdinaryTraining, with_nesterovs_gradient) { expect_training<NesterovAG>(); }
TEST(OrdinaryTraining, with_amsgrad) { expect_training<AMSGrad>(); }
TEST(OrdinaryTraining, with_adabound) { expect_training<AdaBound>(); }
TEST(OrdinaryTraining, with_rmsprop) { expect_training<RMSprop>(); }
TEST(OrdinaryTraining, with_adadelta) { expect_training<AdaDelta>(); }
TEST(OrdinaryTraining, with_adagrad) { expect_training<AdaGrad>(); }
TEST(OrdinaryTraining, with_smorms3) { expect_training<SMORMS3>(); }

TEST(OrdinaryTraining, with_a_schedule_and_a_warm_restart) {
    expect_training<Adam>([](int i, Net& n, Adam& o) {
        o.alpha = 0.1 / (1 + i % 7);
        if (i == 12) o.setup(n);
    });
}

TEST(OrdinaryTraining, with_hooks_that_come_and_go) {
    expect_training<SGD>([](int i, Net&, SGD& o) {
        if (i % 6 == 2) o.add_hook(WeightDecay(0.01));
        if (i % 6 == 4) o.add_hook(GradientClipping(0.5));
        if (i % 6 == 5) o.remove_hook("WeightDecay");
        if (i > 5 && i % 6 == 0) o.remove_hook("GradientClipping");
    });
}

TEST(OrdinaryTraining, with_a_hook_of_the_users_own) {
    expect_training<SGD>([](int i, Net&, SGD& o) {
        if (i == 5)
            o.add_hook("sign", [](Optimizer& optimizer) {
                for (UpdateSlot* slot : optimizer.active_slots()) {
                    const Variable& p = slot->param;
                    p.set_grad((sign(Variable(p.grad(), false)) * 0.1).array());
                }
            });
        if (i == 15) o.remove_hook("sign");
    });
}

TEST(OrdinaryTraining, with_a_loss_scale_that_changes) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        SGD o(0.05);
        o.setup(n);
        auto r = static_graph(
            [&](Variable x) {
                Variable l = sum(n(x) * n(x));
                n.cleargrads();
                l.backward({.loss_scale = o.loss_scale()});
                o.update();
                return l;
            },
            "r");
        for (int i = 0; i < 20; ++i) {
            o.set_loss_scale(i < 8 ? 128 : i % 3 ? 2 : 1024);
            out.push_back(r(numbers({3, 5}, i)).array());
            for (auto& [k, p] : n.namedparams()) out.push_back(p->array());
        }
    });
}

TEST(OrdinaryTraining, two_optimizers_for_two_parts_in_turn) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        Adam first(0.05);
        MomentumSGD second(0.05);
        first.setup(n.a);
        second.setup(n.b);
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                Variable l = sum(n(x) * n(x));
                n.cleargrads();
                l.backward();
                if (i % 3 != 1) first.update();
                if (i % 3 != 2) second.update();
                return l;
            },
            "r");
        for (; i < 24; ++i) {
            out.push_back(r(numbers({3, 5}, i)).array());
            for (auto& [k, p] : n.namedparams()) out.push_back(p->array());
        }
    });
}

TEST(OrdinaryTraining, a_generator_against_a_critic) {
    expect_same_without_regions([](Arrays& out) {
        Linear generator(3, 5), critic(5, 1);
        fill(generator);
        fill(critic);
        RMSprop og(0.01), oc(0.02);
        og.setup(generator);
        oc.setup(critic);
        auto learn_critic = static_graph(
            [&](Variable x, Variable z) {
                Variable fake = tanh(generator(z));
                fake.unchain_backward();
                Variable l = sum(critic(fake)) - sum(critic(x));
                critic.cleargrads();
                l.backward();
                oc.update();
                for (auto& [k, p] : critic.namedparams()) p->set_array(clip(*p, -0.3, 0.3).array());
                return l;
            },
            "critic");
        auto learn_generator = static_graph(
            [&](Variable z) {
                Variable l = -sum(critic(tanh(generator(z))));
                generator.cleargrads();
                critic.cleargrads();
                l.backward();
                og.update();
                return l;
            },
            "generator");
        for (int i = 0; i < 20; ++i) {
            out.push_back(learn_critic(numbers({4, 5}, i), numbers({4, 3}, i + 40)).array());
            if (i % 3 == 2) out.push_back(learn_generator(numbers({4, 3}, i + 80)).array());
            for (auto& [k, p] : generator.namedparams()) out.push_back(p->array());
            for (auto& [k, p] : critic.namedparams()) out.push_back(p->array());
        }
    });
}

TEST(OrdinaryTraining, gradients_gathered_over_batches_of_other_sizes) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        Adam o(0.05);
        o.setup(n);
        auto r = static_graph(
            [&](Variable x, double weight) {
                Variable l = mean(n(x) * n(x)) * weight;
                l.backward();
                return l;
            },
            "r");
        n.cleargrads();
        for (int i = 0; i < 30; ++i) {
            out.push_back(r(numbers({2 + i % 4, 5}, i), 1.0 / (1 + i % 3)).array());
            if (i % (3 + i / 10) != 2) continue;
            push_parameters(out, n);
            o.update();
            i % 2 ? n.cleargrads() : n.zerograds();
        }
    });
}

TEST(OrdinaryTraining, a_weight_that_two_layers_share) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({4, 4}, 1, 0.5f).array()), v(numbers({4, 4}, 2, 0.5f).array());
        Parameter *first = &w, *second = &w;
        auto r = static_graph(
            [&](Variable x) {
                Variable l = sum(matmul(tanh(matmul(x, *first)), *second, false, true));
                l.backward();
                return l;
            },
            "r");
        for (int i = 0; i < 24; ++i) {
            first = i % 4 == 3 ? &v : &w;
            second = i % 6 == 5 ? &v : &w;
            w.cleargrad();
            v.cleargrad();
            out.push_back(r(numbers({3, 4}, i)).array());
            out.push_back(w.grad());
            out.push_back(v.grad());
        }
    });
}

TEST(OrdinaryTraining, saved_and_loaded_between_steps) {
    expect_same_without_regions([](Arrays& out) {
        std::string saved;
        Adam o(0.05);
        train_with(out, o, [&](int i, Net& n) {
            auto both = [&](const Serializer& s) {
                n.serialize(s["model"]);
                o.serialize(s["optimizer"]);
            };
            if (i == 6) {
                std::ostringstream stream;
                save_npz(stream, both);
                saved = stream.str();
            }
            if (i == 11 || i == 17) {
                std::istringstream stream(saved);
                load_npz(stream, both);
            }
        });
    });
}

TEST(OrdinaryTraining, a_copy_that_takes_over) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        SGD o(0.1);
        o.setup(n);
        auto step = static_graph(
            [&](Variable x) {
                Variable l = sum(n(x) * n(x));
                n.cleargrads();
                l.backward();
                o.update();
                return l;
            },
            "step");
        Net best = n;
        auto test = static_graph([&](Variable x) { return best(x); }, "test");
        for (int i = 0; i < 20; ++i) {
            out.push_back(step(numbers({3, 5}, i)).array());
            if (i % 4 == 1) best = n;
            if (i % 7 == 6) n.copyparams(best);
            if (i == 13) {
                n = Net(best);
                o.setup(n);
            }
            auto q = no_backprop_mode();
            out.push_back(test(numbers({2, 5}, 5)).array());
            push_parameters(out, best);
        }
    });
}

TEST(OrdinaryTraining, a_moving_average_of_the_weights) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        Net average = n;
        SGD o(0.1);
        o.setup(n);
        auto step = static_graph(
            [&](Variable x, double decay) {
                Variable l = sum(n(x) * n(x));
                n.cleargrads();
                l.backward();
                o.update();
                auto q = no_backprop_mode();
                const auto to = average.params(), from = n.params();
                for (size_t k = 0; k < to.size(); ++k)
                    to[k]->set_array((*to[k] * decay + *from[k] * (1 - decay)).array());
                return l;
            },
            "step");
        for (int i = 0; i < 20; ++i) {
            out.push_back(step(numbers({3, 5}, i), 0.5 + 0.02 * i).array());
            for (Parameter* p : average.params()) out.push_back(p->array());
        }
    });
}

TEST(OrdinaryTraining, weights_initialised_again) {
    expect_training<Adam>([](int i, Net& n, Adam&) {
        if (i % 8 == 7) n.b.reinitialize();
        if (i % 9 == 4) n.a.b.set_array(numbers({7}, i).array());
    });
}

TEST(OrdinaryTraining, layers_that_thaw_one_by_one) {
    expect_training<AdaGrad>([](int i, Net& n, AdaGrad&) {
        i < 6 ? n.a.disable_update() : n.a.enable_update();
        i % 5 == 3 ? n.b.disable_update() : n.b.enable_update();
    });
}

}  // namespace
}  // namespace catena::ordinary
