// Gradients of some of a region's results: the others add nothing, not even 0 times inf.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

Variable rows(bool needs_gradient = true) {
    return Variable(Array::from(std::vector<float>{1, 1, 3, 4}, {2, 2}), needs_gradient);
}
const std::vector<float> twos{2, 2, 2, 2};

/// A loss, and a value for the log whose gradient is not finite: the rows of equal numbers have no
/// standard deviation.
std::vector<Variable> loss_and_deviation(const Variable& x) {
    return {sum(x * 2), standard_deviation(x, 1)};
}

TEST(AskedResults, one_that_gets_no_gradient_adds_nothing) {
    for (const CompileMode mode : {CompileMode::now, CompileMode::later}) {
        auto region = static_graph(loss_and_deviation, {.name = "logged", .compile_mode = mode});
        for (int call = 0; call < 5; ++call) {
            const Variable x = rows();
            region(x)[0].backward();
            EXPECT_EQ(x.grad().to_vector<float>(), twos) << "call " << call;
        }
    }
}

TEST(AskedResults, one_that_is_kept_in_a_variable_adds_nothing) {
    Variable last;
    auto region = static_graph([&](const Variable& x) {
        last = standard_deviation(x, 1);
        return sum(x * 2);
    });
    for (int call = 0; call < 5; ++call) {
        const Variable x = rows();
        region(x).backward();
        EXPECT_EQ(x.grad().to_vector<float>(), twos) << "call " << call;
    }
}

TEST(AskedResults, a_call_that_skips_the_code_adds_nothing_either) {
    auto region = static_graph(loss_and_deviation, {.name = "skipped", .audit = Audit::never});
    for (int call = 0; call < 12; ++call) {
        const Variable x = rows();
        const std::vector<Variable> ys = region(x);
        if (call < 4 || call > 7) {
            ys[0].backward();
            EXPECT_EQ(x.grad().to_vector<float>(), twos) << "call " << call;
        } else {
            const Variable other = rows();
            sum(ys[1] * 3).backward();
            sum(standard_deviation(other, 1) * 3).backward();
            for (size_t i = 2; i < 4; ++i)
                EXPECT_NEAR(x.grad().to_vector<float>()[i], other.grad().to_vector<float>()[i],
                            1e-5)
                    << "call " << call;
        }
    }
}

TEST(AskedResults, may_change_from_call_to_call) {
    const auto f = [](const Variable& x) {
        return std::vector<Variable>{sum(square(x)), sum(exp(x)), sum(sin(x))};
    };
    auto region = static_graph(f, {.name = "changing"});
    for (const int asked : {1, 1, 3, 2, 2, 2, 7, 7, 5, 1, 6, 4, 4}) {
        const auto gradient = [&](const std::vector<Variable>& ys, const Variable& x) {
            std::vector<Variable> chosen;
            for (int i = 0; i < 3; ++i)
                if (asked >> i & 1) chosen.push_back(ys[size_t(i)]);
            Variable total = chosen[0];
            for (size_t i = 1; i < chosen.size(); ++i) total = total + chosen[i];
            total.backward();
            return x.grad().to_vector<float>();
        };
        const Variable x = rows(), expected_x = rows();
        const std::vector<float> expected = gradient(f(expected_x), expected_x),
                                 actual = gradient(region(x), x);
        for (size_t i = 0; i < 4; ++i)
            EXPECT_NEAR(actual[i], expected[i], 1e-5 * std::abs(expected[i])) << "asked " << asked;
    }
}

TEST(AskedResults, are_compiled_once_and_then_stay) {
    auto region = static_graph(loss_and_deviation, {.name = "counted"});
    for (int call = 0; call < 4; ++call) region(rows())[0].backward();
    const auto before = region.statistics();
    for (int call = 0; call < 5; ++call) region(rows())[0].backward();
    EXPECT_EQ(region.statistics().programs, before.programs);
    if (compiler_installed()) {
        EXPECT_EQ(region.statistics().compiled_calls, before.compiled_calls + 5);
    }
}

TEST(AskedResults, a_call_of_another_size_asks_for_what_others_did) {
    auto region = static_graph(loss_and_deviation, {.name = "sizes"});
    for (const int64_t n : {2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
        const Variable x(Array::full({Dtype::float32, {n, 3}}, 1.5), true);
        region(x)[0].backward();
        EXPECT_EQ(x.grad().to_vector<float>(), std::vector<float>(size_t(3 * n), 2.0F)) << n;
    }
}

TEST(AskedResults, grad_towards_some_variables_adds_nothing_of_the_others) {
    auto region = static_graph(loss_and_deviation, {.name = "towards"});
    for (int call = 0; call < 4; ++call) {
        const Variable x = rows(), middle = x * 1.0;
        EXPECT_EQ(grad({region(middle)[0]}, {x})[0].array().to_vector<float>(), twos);
        EXPECT_EQ(grad({region(middle)[0]}, {middle})[0].array().to_vector<float>(), twos);
    }
}

TEST(AskedResults, one_on_the_way_of_another_may_be_left_out) {
    Linear l(2, 3);
    auto region = static_graph([&](const Variable& x) {
        const Variable h = l(x);
        return std::vector<Variable>{mean(square(h)), h};
    });
    for (int call = 0; call < 4; ++call) {
        l.cleargrads();
        region(rows(false))[0].backward();
        const std::vector<float> actual = l.W.grad().to_vector<float>();
        l.cleargrads();
        mean(square(l(rows(false)))).backward();
        const std::vector<float> expected = l.W.grad().to_vector<float>();
        for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-6);
    }
    EXPECT_EQ(region.statistics().programs, compiler_installed() ? 1 : 0);
}

}  // namespace
}  // namespace catena::testing
