// Regions that touch themselves while they run, that move, and objects that are copied or moved
// after a region has seen them.
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

TEST(CaptureSelves, a_region_clears_and_explains_itself_while_it_runs) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    Mlp model;
    int calls = 0;
    std::function<void()> inside;
    auto region = static_graph(
        [&](const Variable& x) {
            Variable y = tanh(model(x));
            if (inside) inside();
            return y * 2.0;
        },
        "self");
    for (int i = 0; i < 12; ++i) {
        inside = [&, i] {
            ++calls;
            if (i % 4 == 1) region.clear();
            if (i % 4 == 2) {
                EXPECT_FALSE(region.explain().empty());
            }
            if (i % 4 == 3) {
                EXPECT_EQ(region.statistics().calls, i + 1);
            }
        };
        const Variable x(batch(i, 2, 3).array()), z(x.array());
        model.cleargrads();
        sum(square(region(x))).backward();
        const std::vector<float> compiled = model.l1.W.grad().to_vector<float>();
        model.cleargrads();
        sum(square(tanh(model(z)) * 2.0)).backward();
        const std::vector<float> eager = model.l1.W.grad().to_vector<float>();
        for (size_t k = 0; k < eager.size(); ++k)
            EXPECT_NEAR(compiled[k], eager[k], 1e-5) << "call " << i;
        for (size_t k = 0; k < 6; ++k)
            EXPECT_NEAR(x.grad().to_vector<float>()[k], z.grad().to_vector<float>()[k], 1e-5)
                << "call " << i;
    }
    EXPECT_EQ(calls, 12);
}

TEST(CaptureSelves, a_region_that_moves_keeps_the_gradients_of_its_calls) {
    expect_same([](Side& side) {
        Mlp model;
        auto body = [&](const Variable& x) { return model(x); };
        auto made = [&] {
            return std::make_unique<StaticGraph<decltype(body)>>(static_graph(body, "moving"));
        };
        std::unique_ptr<StaticGraph<decltype(body)>> region = made();
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            model.cleargrads();
            const auto f = [&](const Variable& x) {
                return side.compiled() ? (*region)(x) : model(x);
            };
            const Variable a = sum(square(f(batch(i, 2, 3))));
            if (i % 2) region = std::make_unique<StaticGraph<decltype(body)>>(std::move(*region));
            if (i % 3 == 2) region = made();
            const Variable b = sum(f(batch(i + 1, 1 + i % 3, 3)));
            (i % 4 < 2 ? a : b).backward();
            (i % 4 < 2 ? b : a).backward();
            side.saw("model", model);
        }
    });
}

TEST(CaptureSelves, links_are_copied_and_moved_after_a_region_saw_them) {
    expect_same(
        [](Side& side) {
            auto model = std::make_unique<NoisyNet>();
            auto optimizer = std::make_unique<Adam>(0.01);
            optimizer->setup(*model);
            auto step = side.region([&](const Variable& x, const Variable& t) {
                Variable loss = softmax_cross_entropy((*model)(x), t.array());
                learn(*model, *optimizer, loss);
                return loss;
            });
            std::vector<std::unique_ptr<NoisyNet>> older;
            for (int i = 0; i < 12; ++i) {
                side.call(i);
                if (i == 3 || i == 8) {
                    auto copied = std::make_unique<NoisyNet>(*model);
                    older.push_back(std::move(model));
                    model = std::move(copied);
                    optimizer->setup(*model);
                }
                if (i == 5) {
                    auto moved = std::make_unique<NoisyNet>(std::move(*model));
                    model = std::move(moved);
                    optimizer->setup(*model);
                }
                if (i == 6) optimizer->alpha = 0.1;
                side.saw("loss", step(batch(i, 4, 3), labels(i, 4, 3)));
                side.saw("model", *model);
                for (const auto& one : older) side.saw("older", one->l1.W);
            }
        },
        {.nearness = {.float32 = 2e-4}});
}

TEST(CaptureSelves, budgets_and_plain_regions_share_a_model) {
    expect_same([](Side& side) {
        Mlp model;
        auto body = [&](const Variable& x) { return model(tanh(model.l2(tanh(model.l1(x))))); };
        auto plain = side.region(body);
        auto small = side.region(body, {.memory_budget = 1});
        auto never = side.region(body, {.audit = Audit::sampled});
        for (int i = 0; i < 15; ++i) {
            side.call(i);
            if (i % 4 == 0) model.cleargrads();
            const Variable x = batch(i, 2 + i % 2, 3);
            Variable loss = sum(square(i % 3 == 0 ? plain(x) : i % 3 == 1 ? small(x) : never(x)));
            if (i % 5 == 4) loss = loss + sum(plain(x) * small(x));
            loss.backward();
            side.saw("model", model);
        }
    });
}

TEST(CaptureSelves, threads_meet_a_region_for_the_first_time_with_other_sizes_and_settings) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    for (int round = 0; round < 4; ++round) {
        Mlp model;
        auto region = static_graph(
            [&](const Variable& x) { return model(x) * (config().train ? 1.0 : 2.0); }, "first");
        const Variable start = batch(0, 1, 3);
        model(start);
        std::vector<std::string> wrong(4);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                const auto train = using_config(&Config::train, t % 2 == 0);
                for (int i = 0; i < 6; ++i) {
                    const Variable x(batch(10 * t + i, 1 + (t + i) % 3, 3).array()), z(x.array());
                    const Variable y = region(x), eager = model(z) * (t % 2 == 0 ? 1.0 : 2.0);
                    const Variable gx = grad({sum(square(y))}, {x})[0],
                                   gz = grad({sum(square(eager))}, {z})[0];
                    for (int64_t k = 0; k < x.size(); ++k)
                        if (std::abs(gx.array().to_vector<float>()[size_t(k)] -
                                     gz.array().to_vector<float>()[size_t(k)]) > 1e-4f)
                            wrong[size_t(t)] += fmt::format("call {} element {}; ", i, k);
                }
            });
        for (std::thread& thread : threads) thread.join();
        for (int t = 0; t < 4; ++t) EXPECT_EQ(wrong[size_t(t)], "") << "thread " << t;
    }
}

struct Counted {
    State count{Array::zeros({Dtype::float32, {}})};
};
Counted& global() {
    static Counted counted;
    return counted;
}

TEST(CaptureSelves, a_global_state_is_counted_by_two_regions_plain_code_and_threads_in_turn) {
    expect_same([](Side& side) {
        global().count.set_array(Array::zeros({Dtype::float32, {}}));
        auto once = side.region([](const Variable& x) {
            assign(global().count, global().count + 1.0);
            return x * global().count;
        });
        auto twice = side.region([](const Variable& x) {
            assign(global().count, global().count * 2.0);
            return x + global().count;
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            side.saw("once", once(batch(i, 1, 2)));
            if (i % 3 == 0) side.saw("twice", twice(batch(i, 1, 2)));
            if (i % 4 == 1) assign(global().count, global().count - 0.5);
            if (i % 5 == 2) std::thread([&] { once(batch(i, 1, 2)); }).join();
            side.saw("count", Variable(global().count));
        }
    });
}

}  // namespace
}  // namespace catena::testing
