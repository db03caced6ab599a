// Numbers of the host that are special: no program may have been made for one of them. Compared bit
// for bit.
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

constexpr double special[] = {2,  1,   0, -0.0, INFINITY, -INFINITY, NAN,  1e-45, 1e300,
                              -1, 0.5, 3, 2,    1e-320,   255,       -0.0, 1};

Variable elements(Dtype dtype) {
    const std::vector<double> values{1,        -1,        0,   -0.0, 2.5,   -3,  1e-30, 1e30, NAN,
                                     INFINITY, -INFINITY, 0.1, 7,    1e-41, 100, -0.5,  3};
    if (is_float(dtype)) return Variable(Array::from(values, {17}).astype(dtype), true);
    return Variable(
        Array::from(std::vector<int64_t>{1, -1, 0, 5, 127, -128, 100, 3, -7}, {9}).astype(dtype),
        false);
}

/// `any_zero`: results that may be zeros of either sign.
void expect_bits(const std::vector<Variable>& eager, const std::vector<Variable>& compiled,
                 const std::string& where, const std::vector<size_t>& any_zero = {}) {
    ASSERT_EQ(eager.size(), compiled.size());
    for (size_t k = 0; k < eager.size(); ++k) {
        const bool zeros_are_one = std::find(any_zero.begin(), any_zero.end(), k) != any_zero.end();
        const Array a = eager[k].array().as_contiguous(), b = compiled[k].array().as_contiguous();
        ASSERT_EQ(a.type(), b.type()) << where << ", result " << k;
        const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>();
        for (size_t i = 0; i < x.size(); ++i)
            EXPECT_TRUE((std::isnan(x[i]) && std::isnan(y[i])) ||
                        std::memcmp(&x[i], &y[i], 8) == 0 ||
                        (zeros_are_one && x[i] == 0 && y[i] == 0))
                << where << ", result " << k << ", element " << i << ": " << x[i] << " eager, "
                << y[i] << " compiled";
    }
}

/// Of zeros of two signs, maximum and minimum may give either (docs/arrays.md).
const std::vector<size_t> extremes{6, 7};
std::vector<Variable> with_number(const Variable& x, double a) {
    return {x * a,
            x + a,
            x - a,
            a - x,
            x / a,
            a / x,
            maximum(x, a),
            minimum(x, a),
            x * a + a,
            (x + a) * 0.0,
            x * 1.0 + 0.0 * a,
            -(x * a),
            x < a,
            x == a};
}

TEST(CaptureNumbers, special_numbers_give_the_bits_of_eager_code) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    constexpr size_t count = std::size(special);
    for (const Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::float16, Dtype::bfloat16})
        for (size_t first = 0; first < count; first += 3) {
            auto region = static_graph(with_number, "numbers");
            const Variable x = elements(dtype);
            for (size_t k = 0; k < count; ++k) {
                const double a = special[(first + k) % count];
                expect_bits(with_number(x, a), region(x, a),
                            fmt::format("{} with {}", name_of(dtype), a), extremes);
            }
        }
}

TEST(CaptureNumbers, whole_numbers_beside_integers_give_the_bits_of_eager_code) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    for (const Dtype dtype : {Dtype::int8, Dtype::uint8, Dtype::int32, Dtype::int64}) {
        auto f = [](const Variable& x, double a) {
            return std::vector<Variable>{
                x * a, x + a,         x - a,
                a - x, maximum(x, a), floor_divide(x, Variable(Array::full(x.type(), a), false)),
                x < a};
        };
        auto region = static_graph(f, "whole");
        for (const double a : {1.0, 0.0, -1.0, 2.0, 127.0, -128.0, 3.0, 1.0, 0.0}) {
            const Variable x = elements(dtype);
            const double number = dtype == Dtype::uint8 && a < 0 ? 7 : a;
            expect_bits(f(x, number), region(x, number),
                        fmt::format("{} with {}", name_of(dtype), number));
        }
    }
}

TEST(CaptureNumbers, gradients_with_special_numbers) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    for (const bool whole : {true, false}) {
        auto forward = [](const Variable& x, double a) {
            return sum(x * a * x + maximum(x, a) * a - a / (x + 3.0));
        };
        auto gradient = [](const Variable& y, const Variable& x) {
            return std::vector<Variable>{y, grad({y}, {x})[0]};
        };
        auto both = static_graph(
            [&](const Variable& x, double a) { return gradient(forward(x, a), x); }, "both");
        auto model = static_graph(forward, "model");
        for (const double a : special) {
            const Variable x(Array::from(std::vector<float>{1, -1, 0, 2.5f, -0.0f, 1e-30f}, {6}),
                             true);
            // The sum of a few numbers may be added up in another order.
            const std::vector<Variable> eager = gradient(forward(x, a), x),
                                        compiled = whole ? both(x, a) : gradient(model(x, a), x);
            expect_bits({eager[1]}, {compiled[1]},
                        fmt::format("{} with {}", whole ? "whole" : "model", a));
        }
    }
}

}  // namespace
}  // namespace catena::testing
