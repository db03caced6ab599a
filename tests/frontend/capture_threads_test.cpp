// One region from several threads, and a region in each.
#include <atomic>
#include <barrier>
#include <thread>

#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

/// Runs f(0), f(1), ... each on a thread, all at once; what they throw is a failure.
void together(int threads, const std::function<void(int)>& f) {
    std::barrier start(threads);
    std::vector<std::thread> running;
    std::vector<std::string> errors(static_cast<size_t>(threads));
    for (int k = 0; k < threads; ++k) {
        running.emplace_back([&, k] {
            start.arrive_and_wait();
            try {
                f(k);
            } catch (const std::exception& e) {
                errors[size_t(k)] = e.what();
            }
        });
    }
    for (std::thread& t : running) t.join();
    for (const std::string& error : errors) EXPECT_EQ(error, "");
}

bool near(const Variable& a, const Variable& b) {
    if (a.shape() != b.shape()) return false;
    const auto x = a.array().to_vector<double>(), y = b.array().to_vector<double>();
    for (size_t i = 0; i < x.size(); ++i)
        if (!(std::abs(x[i] - y[i]) <= 1e-5 * (1 + std::abs(y[i])))) return false;
    return true;
}

TEST(CaptureThreads, four_threads_infer_with_one_region) {
    Mlp model;
    for (CompileMode mode : all_modes) {
        auto f = static_graph(
            [&](const Variable& x) {
                auto quiet = no_backprop_mode();
                return softmax(model(x)) + (x.shape()[0] % 2 ? 1.0 : 0.0);
            },
            {.compile_mode = mode});
        std::atomic<int> wrong = 0;
        together(4, [&](int k) {
            auto quiet = no_backprop_mode();
            for (int i = 0; i < 60; ++i) {
                const Variable x = batch(100 * k + i, 1 + (i + k) % 5, 3);
                const Variable right = softmax(model(x)) + (x.shape()[0] % 2 ? 1.0 : 0.0);
                if (!near(f(x), right)) ++wrong;
            }
        });
        EXPECT_EQ(wrong, 0) << name_of(mode);
        EXPECT_EQ(f.statistics().calls, 240) << name_of(mode);
    }
}

TEST(CaptureThreads, threads_go_back_through_one_region_to_their_own_inputs) {
    auto body = [](const Variable& x, double factor) { return sum(tanh(x * factor) * x); };
    auto f = static_graph(body);
    std::atomic<int> wrong = 0;
    together(4, [&](int k) {
        for (int i = 0; i < 40; ++i) {
            Variable x(batch(100 * k + i, 2, 2 + i % 3).array()), same(x.array());
            f(x, 1.0 + k).backward();
            body(same, 1.0 + k).backward();
            if (!near(Variable(x.grad(), false), Variable(same.grad(), false))) ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST(CaptureThreads, two_threads_train_a_model_each_in_one_region) {
    expect_same(
        [](Side& side) {
            std::vector<std::unique_ptr<NoisyNet>> models;
            std::vector<std::unique_ptr<Adam>> adams;
            for (int k = 0; k < 2; ++k) {
                models.push_back(std::make_unique<NoisyNet>());
                adams.push_back(std::make_unique<Adam>(0.01));
                adams.back()->setup(*models.back());
            }
            auto step = side.region([&](const Variable& x, const Variable& t, size_t k) {
                Variable loss = softmax_cross_entropy((*models[k])(x), t);
                learn(*models[k], *adams[k], loss);
                return loss;
            });
            std::vector<std::vector<double>> losses(2);
            together(2, [&](int k) {
                set_seed(k);
                for (int i = 0; i < 25; ++i)
                    losses[size_t(k)].push_back(
                        step(batch(100 * k + i, 4, 3), labels(i, 4, 3), size_t(k)).item<double>());
            });
            for (size_t k = 0; k < 2; ++k) {
                side.saw("losses", losses[k]);
                side.saw("model", *models[k]);
                side.saw("adam", *adams[k]);
            }
        },
        {.nearness = {.float32 = 2e-4}, .modes = all_modes});
}

TEST(CaptureThreads, two_threads_train_in_regions_of_their_own) {
    expect_same(
        [](Side& side) {
            std::vector<std::unique_ptr<RecurrentNet>> models;
            for (int k = 0; k < 2; ++k) models.push_back(std::make_unique<RecurrentNet>());
            together(2, [&](int k) {
                RecurrentNet& model = *models[size_t(k)];
                MomentumSGD sgd(0.02);
                sgd.setup(model);
                auto step = side.region([&](const Variable& x) {
                    Variable loss = sum(square(model(x)));
                    learn(model, sgd, loss);
                    loss.unchain_backward();
                    return loss;
                });
                for (int i = 0; i < 25; ++i) step(batch(100 * k + i, 2, 3));
            });
            for (auto& model : models) side.saw("model", *model);
        },
        {.modes = all_modes});
}

TEST(CaptureThreads, an_error_on_one_thread_is_none_on_the_others) {
    auto f = static_graph(
        [](const Variable& x, const Variable& t) { return softmax_cross_entropy(x, t); });
    std::atomic<int> errors = 0, wrong = 0;
    together(4, [&](int k) {
        for (int i = 0; i < 40; ++i) {
            Variable x = batch(100 * k + i, 4, 3), t = labels(i, 4, 3);
            const bool bad = k == 1 && i % 2;
            if (bad) t.array().data<int32_t>()[0] = 9;
            try {
                Variable loss = f(x, t);
                if (bad || !near(loss, softmax_cross_entropy(x, t))) ++wrong;
            } catch (const ValueError&) {
                ++(bad ? errors : wrong);
            }
        }
    });
    EXPECT_EQ(errors, 20);
    EXPECT_EQ(wrong, 0);
}

TEST(CaptureThreads, a_region_goes_from_thread_to_thread) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            learn(model, sgd, loss);
            return loss;
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            Variable loss;
            std::thread([&] { loss = step(batch(i, 2, 3)); }).join();
            side.saw("loss", loss);
            side.saw("model", model);
        }
    });
}

}  // namespace
}  // namespace catena::testing
