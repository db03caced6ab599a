// check_function, check_unary_function, check_link and generate_matrix find what is wrong, and pass
// what is right.
#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/connection/linear.h"
#include "frontend/link/normalization/batch_normalization.h"
#include "frontend/testing/function_check.h"
#include "frontend/testing/generate_matrix.h"
#include "frontend/testing/link_check.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/custom/custom_function.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/linalg/linalg.h"
#include "runtime/ops/math/math.h"

namespace catena {
namespace {

using testing::HasSubstr;

template <class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const CheckError& error) {
        return error.what();
    }
    return "nothing was thrown";
}

const std::vector<Array> points = {
    Array::from<double>(std::vector<double>{0.5, -1.25, 2, 0.75, 1, -0.5}, Shape{2, 3})};

std::vector<Array> cubes(std::span<const Array> xs) {
    std::vector<double> values = xs[0].to_vector<double>();
    for (double& value : values) value = value * value * value;
    return {Array::from(values, xs[0].shape())};
}
Variables cube(std::span<const Variable> xs) { return {xs[0] * xs[0] * xs[0]}; }

TEST(CheckFunction, passes_what_is_right) {
    check_function(cube, points, {.expected = cubes});
    check_function(
        [](auto xs) { return Variables{matmul(xs[0], xs[1], false, true), xs[0] + xs[1]}; },
        {points[0], points[0]});
    const Array labels = Array::from<int32_t>({2, 0});
    check_function([&](auto xs) { return Variables{xs[0] * 2, xs[1] + 1}; }, {points[0], labels});
}

TEST(CheckFunction, compares_results_in_every_dtype) {
    EXPECT_THAT(message_of([] {
                    check_function([](auto xs) { return Variables{xs[0] * xs[0] * xs[0] + 0.5}; },
                                   points, {.expected = cubes});
                }),
                HasSubstr("inputs of float16: check_function: results 0: "));
    const auto coarse = [](std::span<const Variable> xs) {
        return Variables{xs[0] * xs[0] * xs[0] + 1e-6};
    };
    EXPECT_THAT(message_of([&] { check_function(coarse, points, {.expected = cubes}); }),
                HasSubstr("inputs of float64"));
    EXPECT_THAT(message_of([] {
                    check_function([](auto xs) { return Variables{xs[0], xs[0]}; }, points,
                                   {.expected = cubes});
                }),
                HasSubstr("there are 2, 1 are expected"));
}

TEST(CheckFunction, notices_a_kernel_that_ignores_strides) {
    Array given;  // What the function itself is given is a copy without gaps.
    const auto by_address = custom_function(
        "by_address",
        [&](const Variable& x) {
            const Array y = Array::zeros(x.type());  // As if it had no gaps.
            if (x.dtype() != Dtype::float64) return x * 1;
            for (int64_t i = 0; i < x.size(); ++i)
                y.data<double>()[i] = given.elements<double>()[i];
            return Variable(y, false);
        },
        [](const Variable&, const Variable&, const Variable& gy) { return gy * 1; });
    EXPECT_THAT(
        message_of([&] {
            check_function(
                [&](auto xs) { return given = xs[0].array(), Variables{by_address(xs[0])}; },
                points);
        }),
        HasSubstr("inputs with gaps between their elements give other results"));
}

TEST(CheckFunction, notices_a_changed_input) {
    const auto f = [](std::span<const Variable> xs) {
        if (xs[0].dtype() == Dtype::float64 && !xs[0].requires_grad())
            xs[0].array().data<double>()[0] += 1;
        return Variables{xs[0] * 2};
    };
    EXPECT_THAT(message_of([&] { check_function(f, {Array::from<double>({1, 2})}); }),
                HasSubstr("an input was changed"));
}

TEST(CheckFunction, looks_at_gradients_of_both_orders) {
    const auto first = custom_function(
        "wrong_first", [](const Variable& x) { return x * x; },
        [](const Variable& x, const Variable&, const Variable& gy) { return gy * x; });
    EXPECT_THAT(message_of([&] {
                    check_function([&](auto xs) { return Variables{first(xs[0])}; }, points);
                }),
                HasSubstr("check_backward"));
    const auto second = custom_function(
        "wrong_second", [](const Variable& x) { return x * x; },
        [](const Variable& x, const Variable&, const Variable& gy) {
            return gy * Variable(x.array(), false) * 2;
        });
    const TestedFunction f = [&](std::span<const Variable> xs) { return Variables{second(xs[0])}; };
    EXPECT_THAT(message_of([&] { check_function(f, points); }), HasSubstr("check_double_backward"));
    check_function(f, points, {.double_backward = false});
}

TEST(CheckFunction, compares_with_the_compiled_form) {
    const auto other_in_regions = [](std::span<const Variable> xs) {
        return Variables{xs[0] * (current_recorder() ? 2.0 : 1.0)};
    };
    EXPECT_THAT(message_of([&] { check_function(other_in_regions, points); }),
                HasSubstr("check_function: as a static region, result 0: "));
    check_function(other_in_regions, points, {.compiled = false});
}

TEST(CheckFunction, notices_results_that_change_from_call_to_call) {
    int calls = 0;
    EXPECT_THAT(message_of([&] {
                    check_function([&](auto xs) { return Variables{xs[0] * double(++calls)}; },
                                   points);
                }),
                HasSubstr("give other results"));
}

TEST(CheckUnaryFunction, compares_with_a_function_of_numbers) {
    check_unary_function([](const Variable& x) { return tanh(x); },
                         [](double x) { return std::tanh(x); });
    check_unary_function([](const Variable& x) { return log(x); },
                         [](double x) { return std::log(x); }, {.low = 0.5, .high = 3});
    EXPECT_THAT(message_of([] {
                    check_unary_function([](const Variable& x) { return tanh(x); },
                                         [](double x) { return std::sin(x); });
                }),
                HasSubstr("check_function: results 0"));
}

struct Scaled : Link {
    Parameter a{Array::from<float>({1, 2, 3})};
    double extra;
    explicit Scaled(double extra = 0) : extra(extra) { add_param("a", a); }
    Variable operator()(const Variable& x) {
        return called({&x}, [&] { return x * a + extra; });
    }
};
std::vector<Array> scaled(const Scaled& link, std::span<const Array> xs) {
    return {(Variable(xs[0], false) * link.a).array()};
}

TEST(CheckLink, passes_what_is_right) {
    check_link([] { return Scaled(); }, points, {.expected = scaled});
    check_link([] { return Linear(4); }, points);  // Takes its input size at the first call.
    check_link([] { return BatchNormalization(3); }, points);
}

TEST(CheckLink, finds_what_is_wrong) {
    EXPECT_THAT(
        message_of([] { check_link([] { return Scaled(0.5); }, points, {.expected = scaled}); }),
        HasSubstr("check_link: results 0"));
    struct Forgetful : Link {
        Parameter a{Array::from<float>({1, 2, 3})}, b{Array::from<float>({1, 1, 1})};
        Forgetful() { add_param("a", a), add_param("b", b); }
        Variable operator()(const Variable& x) {
            return x * a + Variable(b.array(), false);
        }  // No gradient flows to b.
    };
    EXPECT_THAT(message_of([] { check_link([] { return Forgetful(); }, points); }),
                HasSubstr("no gradient flows to parameter 1"));
    int made = 0;
    EXPECT_THAT(message_of([&] { check_link([&] { return Scaled(++made); }, points); }),
                HasSubstr("a link that loaded its file"));
}

TEST(GenerateMatrix, has_the_singular_values) {
    for (const Shape& shape : {Shape{3, 5}, Shape{5, 3}, Shape{2, 3, 3}}) {
        const Array matrix = generate_matrix(shape, {4, 2, 0.5});
        EXPECT_EQ(matrix.shape(), shape);
        // The eigenvalues of the smaller of A A^T and A^T A are the squares.
        const bool wide = shape[shape.rank() - 1] >= shape[shape.rank() - 2];
        const Variable a(matrix, false), square = matmul(a, a, !wide, wide);
        std::vector<double> values = eigvalsh(square).array().to_vector<double>();
        for (size_t i = 0; i < values.size(); ++i)
            EXPECT_NEAR(values[i], (std::array{0.25, 4.0, 16.0}[i % 3]), 1e-10);
    }
    EXPECT_THROW(generate_matrix({3, 5}, {1, 2}), ShapeError);
    EXPECT_THROW(generate_matrix({3}, {1}), ShapeError);
    EXPECT_EQ(generate_matrix({0, 2, 2}, {1}, Dtype::float32).shape(), Shape({0, 2, 2}));
}

}  // namespace
}  // namespace catena
