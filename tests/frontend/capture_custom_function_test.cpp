// Functions with a gradient of the user's own in static regions: that code runs at every backward.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

struct Counts {
    int forward = 0, backward = 0;
};

std::string name_of(const char* name, const Side& side) {
    return std::string(name) + (side.compiled() ? "_compiled" : "_plain");
}

TEST(CaptureCustomFunction, a_gradient_that_counts_its_calls) {
    expect_same([](Side& side) {
        const auto counts = std::make_shared<Counts>();
        Parameter w(Array::from<double>({1, 2, 3}), "w");
        const auto counting = custom_function(
            name_of("counting", side),
            [counts](const Variable& x) { return x * double(++counts->forward); },
            [counts](const Variable& x, const Variable&, const Variable& gy) {
                return ++counts->backward % 3 ? gy * x * double(counts->backward) : gy;
            });
        auto f =
            side.region([&](const Variable& x) { return sum(tanh(counting(x * w) * 0.1) * w); });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            w.cleargrad();
            f(doubles({0.1 * i, 2, 3}, false)).backward();
            side.saw_gradient("w", w);
            side.saw("forward", counts->forward);
            side.saw("backward", counts->backward);
        }
        f.expect_programs(1);
    });
}

TEST(CaptureCustomFunction, a_gradient_that_reads_values_and_draws_random_numbers) {
    expect_same([](Side& side) {
        const auto largest = std::make_shared<double>(0);
        Parameter w(Array::from<double>({1, 2, 3}), "w");
        const auto reading = custom_function(
            name_of("reading", side), [](const Variable& x) { return dropout(x, 0.3); },
            [largest](const Variable&, const Variable& y, const Variable& gy) {
                *largest = std::max(*largest, gy.array().to_vector<double>()[0]);
                return dropout(gy, 0.3) * y * *largest;
            });
        auto f = side.region([&](const Variable& x) { return sum(square(reading(x * w) * 2.0)); });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            w.cleargrad();
            f(doubles({0.1 * i, 2, 3}, false)).backward();
            side.saw_gradient("w", w);
            side.saw("largest", *largest);
            side.saw_random_state();
        }
    });
}

TEST(CaptureCustomFunction, a_whole_step_runs_the_gradient_at_every_call) {
    expect_same([](Side& side) {
        const auto counts = std::make_shared<Counts>();
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        const auto scaled = custom_function(
            name_of("scaled", side), [](const Variable& x) { return x * 1.0; },
            [counts](const Variable&, const Variable&, const Variable& gy) {
                return gy * (1.0 / ++counts->backward);
            });
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(scaled(model(x))));
            learn(model, sgd, loss);
            return loss;
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw("backward", counts->backward);
        }
        step.expect_programs(1);
    });
}

}  // namespace
}  // namespace catena::testing
