// Random numbers in a region: the device's, the host's, and those that parameters are drawn from.
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

TEST(CaptureRandom, dropout_and_noise_are_the_same_bits) {
    expect_same(
        [](Side& side) {
            auto f = side.region([](const Variable& x) {
                auto [y, mask] = dropout_with_mask(x, 0.4);
                return std::vector<Variable>{y, mask, random_uniform({3}),
                                             x + random_normal(x.shape())};
            });
            for (int i = 0; i < 10; ++i) {
                side.call(i);
                Variable x(batch(i, 3, 4).array());
                std::vector<Variable> results = f(x);
                side.saw("results", results);
                side.saw("mask, exactly", results[1] > 0.0);
                sum(results[0]).backward();
                side.saw_gradient("x", x);
                side.saw_random_state();
            }
        },
        {.nearness = {.float32 = 1e-6}});
}

TEST(CaptureRandom, numbers_of_the_host_are_drawn_at_every_call) {
    expect_same([](Side& side) {
        std::mt19937 random(3);
        std::set<double> seen;
        auto f = side.region([&](const Variable& x) {
            const double draw = double(random() % 100000);
            std::vector<double> noise(2);
            for (double& v : noise) v = double(random() % 1000);
            return dropout(x * draw, 0.3) + Variable(Array::from(noise, {2}), false);
        });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            Variable y = f(doubles({1, 1}));
            side.saw("y", y);
            seen.insert(y.array().to_vector<double>()[0]);
            std::mt19937 next = random;
            side.saw("the generator's next", int64_t(next()));
        }
        EXPECT_EQ(seen.size(), 10u);
        f.expect_programs(1);
    });
}

TEST(CaptureRandom, the_host_decides_by_chance) {
    expect_same([](Side& side) {
        std::mt19937 random(5);
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable y = random() % 2 ? model(x) : model(dropout(x, 0.5));
            if (random() % 3 == 0) y = y + random_normal(y.shape()) * 0.1;
            Variable loss = sum(square(y));
            learn(model, sgd, loss);
            return loss;
        });
        for (int i = 0; i < 40; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw_random_state();
        }
        step.expect_programs(1, 4);
    });
}

TEST(CaptureRandom, parameters_are_drawn_inside) {
    expect_same([](Side& side) {
        Linear kept(3, 3);
        int calls = 0;
        auto f = side.region([&](const Variable& x) {
            Linear fresh(3, 3);
            if (++calls % 3 == 0) kept.reinitialize();
            const Array noise = initializers::Normal(0.5)({Dtype::float32, {3}});
            return fresh(kept(dropout(x, 0.3))) + noise;
        });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            side.saw("y", f(batch(i, 2, 3)));
            side.saw("kept", kept);
            side.saw_random_state();
        }
    });
}

TEST(CaptureRandom, the_seed_is_set_saved_and_restored_between_and_inside_the_calls) {
    expect_same([](Side& side) {
        std::vector<int64_t> saved;
        int calls = 0;
        auto f = side.region([&](const Variable& x) {
            Variable y = dropout(x, 0.5);
            if (++calls == 4) set_seed(11);
            if (calls == 6) saved = save_random_state();
            if (calls == 9) restore_random_state(saved);
            return y + dropout(x, 0.2);
        });
        for (int i = 0; i < 14; ++i) {
            side.call(i);
            if (i == 11) set_seed(5);
            side.saw("y", f(batch(i, 3, 4)));
            side.saw("outside", random_uniform({2}));
            side.saw_random_state();
        }
        side.saw("saved", saved);
    });
}

TEST(CaptureRandom, regions_and_plain_code_share_one_stream) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) { return dropout(x, 0.5); });
        auto g = side.region([](const Variable& x) { return x + random_normal(x.shape()); });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            side.saw("f", f(batch(i, 3, 4)));
            if (i % 2) side.saw("plain", dropout(batch(i, 3, 4), 0.5));
            if (i % 3) side.saw("g", g(batch(i, 3, 4)));
        }
        side.saw_random_state();
    });
}

}  // namespace
}  // namespace catena::testing
