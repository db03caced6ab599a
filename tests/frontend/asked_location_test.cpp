// Lines of another language, which only its interpreter knows: it is asked when a line is shown or
// recorded, not by operations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/graph/node/creator.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

int asks = 0;
uint32_t line = 0;

SourceLoc ask_for_line() noexcept {
    ++asks;
    SourceLoc at;
    at.file = "train.py";
    at.function = "step";
    at.line = line;
    return at;
}

/// The questions while `body` runs as a program of another language.
template <class F>
int asks_of(uint32_t at, F&& body) {
    asks = 0;
    line = at;
    const LocationScope scope(ask_for_line);
    body();
    return asks;
}

template <class E, class F>
void expect_error_at(uint32_t at, F&& body) {
    EXPECT_GT(asks_of(at,
                      [&] {
                          try {
                              body();
                              ADD_FAILURE() << "no error";
                          } catch (const E& error) {
                              EXPECT_THAT(error.what(),
                                          ::testing::EndsWith(fmt::format("(at train.py:{})", at)));
                          }
                      }),
              0);
}

TEST(AskedLocation, is_that_of_the_outermost_scope) {
    SourceLoc known;
    known.file = "main.cpp";
    known.line = 3;
    EXPECT_EQ(asks_of(7,
                      [&] {
                          const LocationScope inner(known);
                          EXPECT_EQ(to_string(current_location()), "train.py:7");
                          EXPECT_EQ(known_location().line, 0u);
                      }),
              1);
    const LocationScope outer(known);
    EXPECT_EQ(asks_of(7, [] { EXPECT_EQ(to_string(current_location()), "main.cpp:3"); }), 0);
}

TEST(AskedLocation, eager_code_does_not_ask) {
    NoisyNet model;
    Adam optimizer(0.01);
    optimizer.setup(model);
    const auto step = [&] {
        const Variable loss = softmax_cross_entropy(model(batch(0, 4, 3)), labels(0, 4, 3));
        learn(model, optimizer, loss);
    };
    EXPECT_EQ(asks_of(1, step), 0);
    EXPECT_EQ(asks_of(1,
                      [&] {
                          const auto mode = no_backprop_mode();
                          model(batch(1, 4, 3));
                      }),
              0);
    RecurrentNet recurrent;
    EXPECT_EQ(asks_of(1, [&] { sum(recurrent(batch(0, 2, 3))).backward(); }), 0);
}

TEST(AskedLocation, errors_show_it) {
    const Variable x = batch(0, 2, 3);
    expect_error_at<ShapeError>(5, [&] { matmul(x, x); });
    expect_error_at<ShapeError>(6, [&] { x + batch(0, 3, 2); });
    expect_error_at<ValueError>(7, [&] { relu(Variable()); });
    expect_error_at<ValueError>(8, [&] { sum(x).backward(); });
    expect_error_at<ShapeError>(9, [&] { Linear(4, 2)(x); });
    expect_error_at<ShapeError>(10, [&] { x.array().item<float>(); });
}

TEST(AskedLocation, errors_in_backward_show_where_it_was_called) {
    const auto fails = custom_function(
        "fails_in_backward", [](const Variable& x) { return x * 1.0; },
        [](const Variable& x, const Variable&, const Variable&) {
            return matmul(x, x);  // Of another shape than the function takes.
        });
    const Variable x = doubles({1, 2, 3});
    Variable y;
    EXPECT_EQ(asks_of(11, [&] { y = sum(fails(reshape(x, {1, 3}))); }), 0);
    expect_error_at<ShapeError>(12, [&] { y.backward(); });
}

TEST(AskedLocation, debug_mode_asks_for_each_node) {
    const Variable x = doubles({1, 2, 3});
    Variable y, z;
    EXPECT_EQ(asks_of(13, [&] { y = x * 2.0; }), 0);
    EXPECT_EQ(creator(y)->location().line, 0u);
    const auto mode = using_config(&Config::debug, true);
    EXPECT_GT(asks_of(14, [&] { z = x * 2.0; }), 0);
    EXPECT_EQ(to_string(creator(z)->location()), "train.py:14");
}

TEST(AskedLocation, a_recorded_call_has_asked_and_a_followed_one_does_not) {
    for (const Audit audit : {Audit::always, Audit::never}) {
        Mlp model;
        SGD optimizer(0.1);
        optimizer.setup(model);
        auto step = static_graph(
            [&](const Variable& x) {
                const Variable loss = sum(square(model(x)));
                learn(model, optimizer, loss);
                return loss;
            },
            {.audit = audit});
        const auto call = [&] { step(batch(0, 2, 3)); };
        model(batch(0, 2, 3));
        EXPECT_GT(asks_of(21, call), 0);
        asks_of(21, call);  // Gradients may be there now.
        for (int i = 0; i < 4; ++i) EXPECT_EQ(asks_of(21, call), 0) << "call " << i;
        if (compiler_available()) {
            EXPECT_THAT(step.explain(), ::testing::HasSubstr("train.py:21"));
        }
    }
}

TEST(AskedLocation, a_cut_is_asked_for_once) {
    auto step = static_graph([](const Variable& x) {
        const Variable y = x * 2.0;
        const bool is_large = sum(y).array().item<double>() > 0;
        return is_large ? y + 1.0 : y - 1.0;
    });
    const auto call = [&] { step(doubles({1, 2}, false)); };
    EXPECT_GT(asks_of(22, call), 0);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(asks_of(22, call), 0) << "call " << i;
}

TEST(AskedLocation, an_error_in_a_followed_call_shows_it) {
    bool is_wrong = false;
    auto step = static_graph([&](const Variable& x) {
        const Variable y = tanh(x);
        return is_wrong ? matmul(y, y) : y;
    });
    for (int i = 0; i < 3; ++i) asks_of(23, [&] { step(batch(0, 2, 3)); });
    is_wrong = true;
    expect_error_at<ShapeError>(24, [&] { step(batch(0, 2, 3)); });
}

}  // namespace
}  // namespace catena::testing
