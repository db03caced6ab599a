// Layers that are replaced, swapped, added, frozen or shared between calls and inside them.
#include <memory>

#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

/// Twelve training steps, with `change(i, model, sgd)` before each. Gradients are kept: an
/// optimizer that was not set up again goes on with those of the parameters it knows.
template <class Model, class Change>
void expect_trains(Change change) {
    expect_same([&](Side& side) {
        Model model;
        SGD sgd(0.05);
        sgd.setup(model);
        auto step = side.region(
            [&](const Variable& x) {
                Variable loss = sum(square(model(x)));
                learn(model, sgd, loss);
                return loss;
            },
            {.keep_grads = true});
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            change(i, model, sgd);
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw("sgd", sgd);
        }
    });
}

TEST(CaptureLayers, a_layer_is_replaced) {
    expect_trains<Mlp>([](int i, Mlp& model, SGD&) {
        if (i % 4 == 3) model.l2 = Linear(4, 3);
    });
}

TEST(CaptureLayers, a_layer_is_replaced_and_the_optimizer_set_up_again) {
    expect_trains<Mlp>([](int i, Mlp& model, SGD& sgd) {
        if (i % 4 != 3) return;
        model.l2 = Linear(4, 2 + i % 3);
        sgd.setup(model);
    });
}

TEST(CaptureLayers, the_whole_model_is_replaced) {
    expect_trains<Mlp>([](int i, Mlp& model, SGD& sgd) {
        if (i == 4 || i == 8) model = Mlp();
        if (i == 8) sgd.setup(model);
        if (i == 10) {
            Mlp other;
            model = other;
        }
    });
}

TEST(CaptureLayers, a_parameter_is_replaced) {
    expect_trains<Mlp>([](int i, Mlp& model, SGD& sgd) {
        if (i % 3 == 2) model.l1.W = Parameter(initializers::Normal(0.3), Shape{4, 3});
        if (i == 7) model.l1.b = Parameter(Array::full({Dtype::float32, {4}}, 0.5));
        if (i == 9) sgd.setup(model);
    });
}

TEST(CaptureLayers, a_layer_is_replaced_where_gradients_are_used_up) {
    expect_same([](Side& side) {
        Mlp model;
        Adam adam(0.01);
        adam.setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            learn(model, adam, loss);
            return loss;
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            if (i % 4 == 3) {
                model.l2 = Linear(4, 2 + i % 3);
                adam.setup(model);
            }
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw("adam", adam);
        }
    });
}

TEST(CaptureLayers, layers_swap_their_places) {
    struct Square : Chain {
        Linear l1{3, 3}, l2{3, 3};
        Square() { add_children({{"l1", l1}, {"l2", l2}}); }
        Variable operator()(const Variable& x) { return l2(tanh(l1(x))); }
    };
    expect_trains<Square>([](int i, Square& model, SGD&) {
        if (i % 3 == 1) std::swap(model.l1, model.l2);
    });
}

TEST(CaptureLayers, a_layer_behind_a_pointer_is_replaced_inside_the_region) {
    expect_same([](Side& side) {
        auto layer = std::make_unique<Linear>(3, 4);
        int calls = 0;
        auto f = side.region([&](const Variable& x) {
            if (++calls % 4 == 0) layer = std::make_unique<Linear>(3, 4 + calls);
            Variable loss = sum(square((*layer)(x)));
            layer->cleargrads();
            loss.backward();
            return loss;
        });
        for (int i = 0; i < 13; ++i) {
            side.call(i);
            side.saw("loss", f(batch(i, 2, 3)));
            side.saw("layer", *layer);
        }
    });
}

TEST(CaptureLayers, a_list_of_layers_grows_and_shrinks) {
    expect_same([](Side& side) {
        ChainList layers;
        layers.append(Linear(3, 3));
        Adam adam(0.01);
        adam.setup(layers);
        auto step = side.region([&](const Variable& x) {
            Variable y = x;
            for (size_t k = 0; k < layers.size(); ++k) y = tanh(layers.get<Linear>(k)(y));
            Variable loss = sum(square(y));
            learn(layers, adam, loss);
            return loss;
        });
        for (int i = 0; i < 15; ++i) {
            side.call(i);
            if (i == 3 || i == 6) {
                layers.append(Linear(3, 3));
                adam.setup(layers);
            }
            if (i == 10) {
                layers.erase(0);
                adam.setup(layers);
            }
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("layers", layers);
            side.saw("adam", adam);
        }
    });
}

TEST(CaptureLayers, lazy_layers_get_their_shape_in_the_first_call) {
    expect_same([](Side& side) {
        Sequential model{Linear(5), relu, Linear(3)};
        SGD sgd(0.05);
        sgd.setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            learn(model, sgd, loss);
            return loss;
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            if (i == 5) model.append(Linear(2));
            if (i == 6) sgd.setup(model);
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
        }
        side.saw_random_state();
    });
}

TEST(CaptureLayers, layers_are_frozen_and_thawed_between_the_calls) {
    expect_trains<Mlp>([](int i, Mlp& model, SGD&) {
        if (i % 3 == 1) model.l1.disable_update();
        if (i % 3 == 2) model.l1.enable_update();
        model.l2.b.set_update_enabled(i % 4 < 2);
    });
}

TEST(CaptureLayers, layers_are_frozen_inside_the_region) {
    expect_same([](Side& side) {
        Mlp model;
        MomentumSGD sgd(0.05, 0.9);
        sgd.setup(model);
        int calls = 0;
        auto step = side.region([&](const Variable& x) {
            if (++calls == 5) model.l1.disable_update();
            if (calls == 9) model.l1.enable_update();
            Variable loss = sum(square(model(x)));
            learn(model, sgd, loss);
            return loss;
        });
        for (int i = 0; i < 14; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw("sgd", sgd);
        }
        step.expect_programs(2);
    });
}

TEST(CaptureLayers, an_extension_of_a_trainer_freezes_a_layer) {
    expect_same([](Side& side) {
        struct Loss : Chain {
            Mlp model;
            Loss() { add_children({{"model", model}}); }
            Variable operator()(const Variable& x) { return sum(square(model(x))); }
        } loss;
        SGD sgd(0.05);
        sgd.setup(loss);
        SerialIterator data(Dataset(batch(3, 20, 3).array()), 4, {.shuffle = false});
        StandardUpdater updater(
            data, sgd, loss,
            {.static_graph = side.compiled(), .keep_grads = true, .audit = Audit::always});
        Trainer trainer(updater, {14, "iteration"}, ::testing::TempDir() + "capture_layers");
        int i = 0;
        auto freeze = [&](Trainer&) {
            side.call(i);
            side.saw("loss", loss);
            if (++i == 4) loss.model.l1.disable_update();
            if (i == 6) sgd.add_hook(WeightDecay(0.1));
            if (i == 9) loss.model.l1.enable_update();
        };
        trainer.extend(freeze, {.name = "freeze", .trigger = {1, "iteration"}});
        trainer.run();
        side.saw("iterations", i);
    });
}

TEST(CaptureLayers, regions_share_parameters) {
    expect_same([](Side& side) {
        Mlp model;
        Linear head(4, 2);
        SGD first(0.05), second(0.02);
        first.setup(model);
        struct Shared : Chain {
            Linear trunk, head{4, 2};
            explicit Shared(const Linear& l) : trunk(copy(l, CopyMode::share)) {
                add_children({{"trunk", trunk}, {"head", head}});
            }
        } shared(model.l1);
        second.setup(shared);
        auto a = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            learn(model, first, loss);
            return loss;
        });
        auto b = side.region([&](const Variable& x) {
            Variable loss = mean(absolute(shared.head(tanh(shared.trunk(x)))));
            learn(shared, second, loss);
            return loss;
        });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            side.saw("a", a(batch(i, 2, 3)));
            if (i % 3 != 2) side.saw("b", b(batch(i + 100, 2, 3)));
            side.saw("model", model);
            side.saw("shared", shared);
        }
    });
}

TEST(CaptureLayers, a_layer_used_twice_is_one_layer_until_it_is_copied) {
    expect_same([](Side& side) {
        auto first = std::make_shared<Linear>(3, 3);
        auto second = first;
        auto f = side.region([&](const Variable& x) {
            Variable loss = sum(square((*second)(tanh((*first)(x)))));
            first->cleargrads();
            second->cleargrads();
            loss.backward();
            for (Linear* l : {first.get(), second.get()})
                for (Parameter* p : l->params()) assign(*p, *p - p->grad_variable() * 0.05);
            return loss;
        });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            if (i == 4) second = std::make_shared<Linear>(*first);
            if (i == 7) first = second;
            side.saw("loss", f(batch(i, 2, 3)));
            side.saw("first", *first);
            side.saw("second", *second);
        }
    });
}

}  // namespace
}  // namespace catena::testing
