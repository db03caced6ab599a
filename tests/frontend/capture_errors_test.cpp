// After an error everything holds what plain calls leave at that error, and the next good call
// works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

struct UserError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

Variable bad_labels(int number, int64_t rows) {
    Variable t = labels(number, rows, 3);
    t.array().data<int32_t>()[1] = 17;
    return t;
}

/// Fifteen steps of which some fail, with all states after each.
void expect_survives(
    const std::function<void(NoisyNet&, Adam&, const Variable&, const Variable&)>& body) {
    expect_same(
        [&](Side& side) {
            NoisyNet model;
            Adam adam(0.01);
            adam.setup(model);
            auto step =
                side.region([&](const Variable& x, const Variable& t) { body(model, adam, x, t); });
            for (int i = 0; i < 15; ++i) {
                side.call(i);
                // Not the first: moments that code behind the error makes, of zeros, stay.
                const bool bad = i == 1 || i == 4 || i == 5 || i == 11;
                side.fails("step",
                           [&] { step(batch(i, 4, 3), bad ? bad_labels(i, 4) : labels(i, 4, 3)); });
                side.saw("model", model);
                side.saw("adam", adam);
                side.saw_random_state();
            }
        },
        {.nearness = {.float32 = 1e-4}, .modes = all_modes});
}

TEST(CaptureErrors, a_bad_label_in_a_step_of_one_update) {
    expect_survives([](NoisyNet& model, Adam& adam, const Variable& x, const Variable& t) {
        learn(model, adam, softmax_cross_entropy(model(x), t));
    });
}

TEST(CaptureErrors, a_bad_label_in_the_second_of_two_updates) {
    expect_survives([](NoisyNet& model, Adam& adam, const Variable& x, const Variable& t) {
        learn(model, adam, sum(square(model(x))));
        learn(model, adam, softmax_cross_entropy(model(x), t));
    });
}

TEST(CaptureErrors, a_bad_label_in_the_first_of_two_updates) {
    expect_survives([](NoisyNet& model, Adam& adam, const Variable& x, const Variable& t) {
        learn(model, adam, softmax_cross_entropy(model(x), t));
        learn(model, adam, sum(square(model(x))));
    });
}

TEST(CaptureErrors, a_bad_label_before_which_the_host_has_read_a_value) {
    expect_survives([](NoisyNet& model, Adam& adam, const Variable& x, const Variable& t) {
        Variable y = model(x);
        if (sum(y).item<double>() > 1e9) return;
        learn(model, adam, softmax_cross_entropy(y, t));
    });
}

TEST(CaptureErrors, a_bad_index_while_states_are_written_by_hand) {
    expect_same([](Side& side) {
        State before(Array::from<double>({1, 2})), after(Array::from<double>({1, 2}));
        Array kept = Array::from<double>({0, 0});
        auto f = side.region([&](const Variable& x, const Variable& index) {
            assign(before, before * 2.0 + x);
            before.set_array((before + 1.0).array());
            Variable taken = take(x, index);
            assign(after, after * 3.0 + taken);
            return taken;
        });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            const int32_t second = i % 4 == 3 ? 9 : 1;
            side.fails("call", [&] {
                side.saw("taken", f(doubles({1.0 * i, 2}),
                                    Variable(Array::from<int32_t>({0, second}), false)));
            });
            side.saw("before", before);
            side.saw("after", after);
        }
    });
}

TEST(CaptureErrors, a_type_error_while_the_code_runs) {
    expect_same(
        [](Side& side) {
            NoisyNet model;
            Adam adam(0.01);
            adam.setup(model);
            auto step = side.region([&](const Variable& x, const Variable& y) {
                learn(model, adam, sum(square(model(x))));
                Variable loss = sum(model(x) * y);  // The shapes may not fit.
                learn(model, adam, loss);
                return loss;
            });
            for (int i = 0; i < 10; ++i) {
                side.call(i);
                side.fails("step", [&] {
                    side.saw("loss", step(batch(i, 4, 3), batch(i, 4, i % 3 == 1 ? 2 : 3)));
                });
                side.saw("model", model);
                side.saw("adam", adam);
                side.saw_random_state();
            }
        },
        {.nearness = {.float32 = 1e-4}});
}

TEST(CaptureErrors, what_the_user_throws_passes_and_leaves_what_was_done_before) {
    constexpr double unreadable = -1;
    std::vector<double> values[2];
    expect_same(
        [&](Side& side) {
            NoisyNet model;
            Adam adam(0.01);
            adam.setup(model);
            int calls = 0;
            Variable kept;
            auto step = side.region([&](const Variable& x) {
                const int where = calls++ % 6;
                Variable loss = sum(square(model(x)));
                kept = loss * 2.0;
                if (where == 1) throw UserError("after forward");
                model.cleargrads();
                loss.backward();
                if (where == 3) throw UserError("after backward");
                adam.update();
                if (where == 5) throw UserError("after update");
                return loss;
            });
            for (int i = 0; i < 18; ++i) {
                side.call(i);
                side.fails("step", [&] { step(batch(i, 4, 3)); });
                side.saw("model", model);
                side.saw("adam", adam);
                side.saw("calls", calls);
                side.saw_random_state();
                try {
                    values[side.compiled()].push_back(kept.array().to_vector<double>()[0]);
                } catch (const Error&) {
                    EXPECT_EQ(i % 2, 1) << "an array of a good call cannot be read";
                    values[side.compiled()].push_back(unreadable);
                }
            }
        },
        {.nearness = {.float32 = 1e-4}});
    ASSERT_EQ(values[0].size(), values[1].size());
    for (size_t i = 0; i < values[0].size(); ++i) {
        if (values[1][i] == unreadable) continue;
        EXPECT_NEAR(values[0][i], values[1][i], 1e-4 * (1 + values[0][i])) << i;
    }
}

TEST(CaptureErrors, something_that_is_no_exception_passes_too) {
    expect_same([](Side& side) {
        State s(Array::from<double>({1}));
        int calls = 0;
        auto f = side.region([&](const Variable& x) {
            assign(s, s + x);
            if (++calls % 3 == 0) throw calls;
            return s * 2.0;
        });
        for (int i = 0; i < 9; ++i) {
            side.call(i);
            try {
                side.saw("y", f(doubles({1})));
            } catch (int thrown) {
                side.saw("thrown", thrown);
            }
            side.saw("s", s);
        }
    });
}

TEST(CaptureErrors, an_exception_that_the_code_catches_changes_nothing) {
    expect_same([](Side& side) {
        Mlp model;
        auto f = side.region([&](const Variable& x) {
            try {
                return model(x) + model(reshape(x, {3, -1}));  // Fits when x is square.
            } catch (const ShapeError&) {
                return model(x) * 2.0;
            }
        });
        for (int i = 0; i < 9; ++i) {
            side.call(i);
            side.saw("y", f(batch(i, 2 + i % 3, 3)));
        }
    });
}

TEST(CaptureErrors, an_array_of_a_failed_call_is_the_eager_one_or_cannot_be_read) {
    std::vector<Variable> kept[2];
    auto body = [](std::vector<Variable>& kept, const Variable& x, const Variable& t) {
        Variable y = tanh(x) * 3.0;
        kept.push_back(y);
        return softmax_cross_entropy(y, t);
    };
    auto f =
        static_graph([&](const Variable& x, const Variable& t) { return body(kept[1], x, t); });
    for (int i = 0; i < 9; ++i) {
        Variable x = batch(i, 4, 3), t = i % 3 == 2 ? bad_labels(i, 4) : labels(i, 4, 3);
        bool plain = false, compiled = false;
        try {
            body(kept[0], x, t);
        } catch (const ValueError&) {
            plain = true;
        }
        try {
            f(x, t);
        } catch (const ValueError&) {
            compiled = true;
        }
        EXPECT_EQ(plain, compiled) << i;
        ASSERT_EQ(kept[0].size(), kept[1].size());
        try {
            const std::vector<double> got = kept[1].back().array().to_vector<double>();
            const std::vector<double> right = kept[0].back().array().to_vector<double>();
            for (size_t k = 0; k < right.size(); ++k) EXPECT_NEAR(got[k], right[k], 1e-5) << i;
        } catch (const Error&) {
            EXPECT_TRUE(plain) << i;
        }
        // Nor can it be used: the next operation would compute with nothing.
        try {
            const std::vector<double> got = (kept[1].back() + 1.0).array().to_vector<double>();
            EXPECT_NEAR(got[0], kept[0].back().array().to_vector<double>()[0] + 1, 1e-5) << i;
        } catch (const Error&) {
            EXPECT_TRUE(plain) << i;
        }
    }
}

TEST(CaptureErrors, name_operation_value_and_the_line_of_the_user) {
    auto f = static_graph(
        [](const Variable& x, const Variable& t) { return softmax_cross_entropy(x * 2.0, t); });
    for (int i = 0; i < 3; ++i) {
        f(batch(i, 4, 3), labels(i, 4, 3));
        try {
            f(batch(i, 4, 3), bad_labels(i, 4));
            FAIL() << "no error";
        } catch (const ValueError& e) {
            EXPECT_THAT(e.what(), HasSubstr("softmax_cross_entropy"));
            EXPECT_THAT(e.what(), HasSubstr("17"));
            EXPECT_THAT(e.what(), HasSubstr("capture_errors_test.cpp:"));
        }
    }
}

TEST(CaptureErrors, name_the_line_of_the_operation_when_another_line_asks_for_the_value) {
    unsigned line = 0;
    auto f = static_graph([&](const Variable& x, const Variable& t) {
        line = __LINE__ + 1;
        const Variable loss = softmax_cross_entropy(x * 2.0, t);
        return loss * loss.item<float>();
    });
    for (int i = 0; i < 4; ++i) {
        if (i % 2) f(batch(i, 4, 3), labels(i, 4, 3));
        try {
            f(batch(i, 4, 3), bad_labels(i, 4));
            FAIL() << "no error";
        } catch (const ValueError& e) {
            EXPECT_THAT(e.what(), HasSubstr("capture_errors_test.cpp:" + std::to_string(line)));
        }
    }
}

TEST(CaptureErrors, gradients_are_those_of_the_calls_that_worked) {
    expect_same([](Side& side) {
        Mlp model;
        auto f = side.region([&](const Variable& x, const Variable& t) {
            Variable loss = softmax_cross_entropy(model(x), t);
            loss.backward();
            return loss;
        });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            side.fails("call",
                       [&] { f(batch(i, 4, 3), i % 3 == 1 ? bad_labels(i, 4) : labels(i, 4, 3)); });
            side.saw("model", model);
        }
    });
}

TEST(CaptureErrors, an_error_in_a_nested_region_is_one_of_the_outer) {
    expect_same([](Side& side) {
        Mlp model;
        State count(Array::from<int64_t>({0}));
        auto inner = side.region([&](const Variable& x, const Variable& t) {
            assign(count, count + 1);
            return softmax_cross_entropy(model(x), t);
        });
        auto outer = side.region([&](const Variable& x, const Variable& t) {
            Variable loss;
            try {
                loss = inner(x, t);
            } catch (const ShapeError&) {
                loss = sum(model(x));
            }
            assign(count, count + 10);
            return loss;
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            side.fails("call", [&] {
                side.saw("loss", outer(batch(i, 4, 3), i % 4 == 1   ? bad_labels(i, 4)
                                                       : i % 4 == 2 ? labels(i, 5, 3)
                                                                    : labels(i, 4, 3)));
            });
            side.saw("count", count);
        }
    });
}

TEST(CaptureErrors, thousands_of_throws_leave_nothing_behind) {
    Mlp model;
    int calls = 0;
    auto f = static_graph([&](const Variable& x) {
        Variable y = tanh(model(x));
        if (++calls % 2) throw UserError("now and then");
        return y;
    });
    auto many = [&](int n) {
        for (int i = 0; i < n; ++i) {
            try {
                f(batch(i, 2, 3));
            } catch (const UserError&) {
            }
        }
    };
    many(100);
    const size_t before = cpu_memory_statistics().bytes_in_use;
    const int64_t programs = f.statistics().programs;
    many(2000);
    EXPECT_EQ(cpu_memory_statistics().bytes_in_use, before);
    EXPECT_EQ(f.statistics().programs, programs);
}

TEST(CaptureErrors, a_gradient_of_a_content_that_was_replaced_comes_back_with_it) {
    expect_same([](Side& side) {
        Parameter p(doubles({1, 2, 3}).array(), "p");
        int i = 0;
        auto step = side.region([&](const Variable& x, const Variable& t) {
            const Variable loss = softmax_cross_entropy(x * 2.0, t);
            if (i % 2) {
                p.set_array(doubles({7, 8}).array());
                p.cleargrad();
            }
            return loss * 3.0 + sum(p);
        });
        for (; i < 8; ++i) {
            side.call(i);
            p.set_array(doubles({1, 2, 3}).array());
            p.set_grad(doubles({4, 5, 6}).array());
            side.fails("step", [&] {
                step(batch(i, 4, 3), i > 2 && i % 4 == 3 ? bad_labels(i, 4) : labels(i, 4, 3));
            });
            side.saw("p", p);
            side.saw("gradient", p.grad().defined() ? Variable(p.grad()) : Variable());
        }
    });
}

TEST(CaptureErrors, a_gradient_that_does_not_fit_its_leaf_any_more_names_the_line_that_reads_it) {
    expect_same([](Side& side) {
        const Variable w(batch(1, 3, 3).array(), true), b(batch(2, 1, 3).array(), true);
        auto f = side.region([&](const Variable& x) {
            const Variable h = tanh(matmul(x, w));
            return sum(square(h + b));
        });
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            w.cleargrad();
            w.set_array(batch(1, 3, 3).array());
            const Variable y = f(batch(i, 2, 3));
            w.set_array(batch(1, 3, 3, Dtype::float64).array());
            side.fails("backward", [&] { y.backward(); });
        }
    });
}

}  // namespace
}  // namespace catena::testing
