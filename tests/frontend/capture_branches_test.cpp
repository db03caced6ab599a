// The host program decides what happens: branches, loops, counters, prints and reads of computed
// values inside a region.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

TEST(CaptureBranches, a_branch_every_second_call_is_two_programs) {
    expect_same([](Side& side) {
        Mlp model;
        int calls = 0;
        auto f = side.region(
            [&](const Variable& x) { return ++calls % 2 ? model(x) : exp(model(x)) * 0.5; });
        for (int i = 0; i < 20; ++i) {
            side.call(i);
            side.saw("y", f(batch(i, 2, 3)));
            side.saw("calls", calls);
        }
        if (auto counts = f.counts()) {
            EXPECT_EQ(counts->programs, 2) << f.explain();
            EXPECT_GE(counts->mismatches, 1) << "the second way was not known";
            EXPECT_LE(counts->mismatches, 2) << "each way is new once";
            EXPECT_EQ(counts->followed_calls, 20);
            EXPECT_EQ(counts->calls, 20);
        }
    });
}

TEST(CaptureBranches, a_branch_that_is_taken_every_tenth_call_is_never_missed) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        int calls = 0;
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            if (++calls % 10 == 0) loss = loss + sum(absolute(model.l1.W)) * 0.01;
            learn(model, sgd, loss);
            return loss;
        });
        for (int i = 0; i < 50; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
        }
        step.expect_programs(2);
    });
}

TEST(CaptureBranches, the_middle_of_a_program_may_part_and_come_together_again) {
    expect_same([](Side& side) {
        int calls = 0;
        auto f = side.region([&](const Variable& x) {
            Variable y = exp(x) + 1.0;
            const int way = calls++ % 3;
            if (way == 1) y = y * y;
            if (way == 2) y = tanh(y) - x;
            return sum(y) * 2.0;
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            Variable x(batch(i, 2, 3).array());
            Variable y = f(x);
            y.backward();
            side.saw("y", y);
            side.saw_gradient("x", x);
        }
        f.expect_programs(3);
    });
}

TEST(CaptureBranches, loops_are_as_long_as_this_call_makes_them) {
    expect_same([](Side& side) {
        Mlp model;
        int length = 0;
        auto f = side.region([&](const Variable& x) {
            Variable y = x;
            for (int i = 0; i < length; ++i) y = tanh(model(y));
            return y;
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            length = (i * 5) % 4;
            Variable x(batch(i, 2, 3).array());
            Variable y = f(x);
            side.saw("y", y);
            if (length == 0) continue;
            Variable loss = sum(y);
            model.cleargrads();
            loss.backward();
            side.saw("model", model);
            side.saw_gradient("x", x);
        }
        f.expect_programs(1, 4);
    });
}

TEST(CaptureBranches, a_value_read_in_the_middle_decides_a_branch) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.1);
        sgd.setup(model);
        int big = 0;
        auto step = side.region([&](const Variable& x) {
            Variable loss = mean(square(model(x)));
            if (loss.item<double>() > 0.2) {
                ++big;
                loss = loss * 0.5;
            }
            learn(model, sgd, loss);
            return loss;
        });
        for (int i = 0; i < 20; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 4, 3) * (i % 3 ? 1.0 : 0.2)));
            side.saw("model", model);
            side.saw("big", big);
        }
        if (auto counts = step.counts()) {
            EXPECT_EQ(counts->cuts, 20);
            EXPECT_LE(counts->programs, 4) << step.explain();
        }
    });
}

TEST(CaptureBranches, a_loop_runs_until_it_has_converged) {
    expect_same([](Side& side) {
        int rounds = 0;
        auto root = side.region([&](const Variable& x) {
            Variable y = x;
            // Newton's method; how long it takes depends on x.
            for (int i = 0; i < 40; ++i, ++rounds) {
                Variable next = (y + x / y) * 0.5;
                const double change = max(absolute(next - y)).item<double>();
                y = next;
                if (change < 1e-9) break;
            }
            return y;
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            Variable x = doubles({2.0 + i, 0.01 * (i + 1)});
            Variable y = root(x);
            side.saw("root", y);
            side.saw("rounds", rounds);
            sum(y).backward();
            side.saw_gradient("x", x);
        }
    });
}

TEST(CaptureBranches, what_the_code_prints_is_printed_at_every_call) {
    std::string texts[2];
    expect_same([&](Side& side) {
        std::ostringstream out;
        auto f = side.region([&](const Variable& x) {
            Variable y = x * 2.0;
            out << "sum " << sum(y).item<double>() << ", " << to_string(y.array()) << '\n';
            return y + 1.0;
        });
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            side.saw("y", f(doubles({double(i), 1})));
        }
        side.saw("text", out.str());
        texts[side.compiled()] = out.str();
    });
    EXPECT_THAT(texts[0], HasSubstr("sum 10, float64[2]"));
    EXPECT_EQ(texts[0], texts[1]);
}

TEST(CaptureBranches, every_way_to_read_a_value_gives_it) {
    expect_same([](Side& side) {
        auto f = side.region([&](const Variable& x) {
            Variable y = x * 3.0;
            side.saw("item", sum(y).item<double>());
            side.saw("array item", sum(y).array().item<float>());
            side.saw("vector", y.array().to_vector<double>());
            const double* data = y.array().data<double>();
            side.saw("data", std::vector<double>(data, data + y.size()));
            side.saw("raw data", static_cast<const double*>(y.array().raw_data())[1]);
            side.saw("text", to_string(y.array()));
            // Through a view, whose elements lie elsewhere.
            side.saw("transposed", transpose(reshape(y, {2, 2})).array().to_vector<double>());
            return exp(y * 0.1);
        });
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            Variable x = doubles({0.5, 1.0 * i, 2, 3});
            Variable y = f(x);
            side.saw("y", y);
            sum(y).backward();
            side.saw_gradient("x", x);
        }
    });
}

TEST(CaptureBranches, reading_what_was_not_computed_cuts_nothing) {
    expect_same([](Side& side) {
        Parameter w(Array::from<double>({2, 3}), "w");
        auto f = side.region([&](const Variable& x) {
            const double factor = w.array().data<double>()[0] + x.array().to_vector<double>()[1];
            return x * w * factor;
        });
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            side.saw("y", f(doubles({1, double(i)})));
        }
        if (auto counts = f.counts()) {
            EXPECT_EQ(counts->cuts, 0);
            EXPECT_EQ(counts->programs, 1) << f.explain();
        }
    });
}

TEST(CaptureBranches, a_read_between_forward_and_backward_keeps_the_graph) {
    expect_same([](Side& side) {
        Mlp model;
        Adam adam(0.01);
        adam.setup(model);
        std::vector<double> seen;
        auto step = side.region([&](const Variable& x, const Variable& t) {
            Variable scores = model(x);
            seen.push_back(accuracy(scores, t).item<double>());
            Variable loss = softmax_cross_entropy(scores, t);
            seen.push_back(loss.item<double>());
            learn(model, adam, loss);
            seen.push_back(sum(model.l1.W).item<double>());
            return loss;
        });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 6, 3), labels(i, 6, 3)));
            side.saw("model", model);
            side.saw("adam", adam);
        }
        side.saw("seen", seen);
        if (auto counts = step.counts()) {
            EXPECT_EQ(counts->cuts, 30);
        }
    });
}

TEST(CaptureBranches, without_breaks_a_read_is_an_error_with_the_line) {
    int calls = 0;
    auto f = static_graph(
        [&](const Variable& x) {
            ++calls;
            Variable y = x * 2.0;
            return y.item<double>() > 1 ? y : x;
        },
        {.breaks = false});
    for (int i = 0; i < 3; ++i) {
        try {
            f(doubles({1}));
            FAIL() << "no error";
        } catch (const TraceError& e) {
            EXPECT_THAT(e.what(), HasSubstr("capture_branches_test.cpp:"));
        }
    }
    EXPECT_EQ(calls, 3);
    auto reads_an_argument =
        static_graph([](const Variable& x) { return x * x.item<double>(); }, {.breaks = false});
    EXPECT_EQ(reads_an_argument(doubles({3})).item<double>(), 9);
}

TEST(CaptureBranches, counters_lists_and_texts_of_the_host_are_as_after_plain_calls) {
    expect_same([](Side& side) {
        std::vector<Variable> history;
        std::vector<std::string> messages;
        int calls = 0;
        auto f = side.region([&](const Variable& x) {
            Variable y = tanh(x) * double(++calls);
            history.push_back(y);
            messages.push_back("call " + std::to_string(calls) + " of " + to_string(x.shape()));
            return y;
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            side.saw("y", f(batch(i, 2, 3)));
            side.saw("history", history);
            side.saw("messages", messages);
        }
        side.saw("history at the end", history);
    });
}

TEST(CaptureBranches, a_list_that_grows_is_summed_as_long_as_it_is) {
    expect_same([](Side& side) {
        std::vector<Variable> seen;
        auto f = side.region([&](const Variable& x) {
            seen.push_back(x * 2.0);
            Variable total = seen[0];
            for (size_t i = 1; i < seen.size(); ++i) total = total + seen[i];
            return total;
        });
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            Variable x = doubles({1.0 * i, 2});
            Variable y = f(x);
            side.saw("total", y);
            sum(y).backward();
            side.saw_gradient("x", x);
        }
        side.saw("seen", seen);
    });
}

TEST(CaptureBranches, a_region_that_does_nothing_some_of_the_time_is_right) {
    expect_same([](Side& side) {
        int calls = 0;
        Variable kept;
        auto f = side.region([&](const Variable& x) {
            if (++calls % 3 != 0) kept = exp(x);
        });
        for (int i = 0; i < 9; ++i) {
            side.call(i);
            f(doubles({0.1 * i}));
            side.saw("kept", kept);
        }
    });
}

TEST(CaptureBranches, elements_that_a_mask_picks_are_as_many_as_it_has) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) {
            Variable picked = get_item(x, {x > 0.0});
            return sum(picked) + double(picked.size());
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            Variable x(batch(i, 3, 3).array());
            Variable y = f(x);
            side.saw("y", y);
            y.backward();
            side.saw_gradient("x", x);
        }
    });
}

}  // namespace
}  // namespace catena::testing
