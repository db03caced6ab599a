#pragma once

#include <functional>
#include <span>
#include <vector>

#include "frontend/testing/gradient_check.h"

namespace catena {

/// The results that a function should give, computed in another way. It is called with arrays of
/// float64 (and integers as they are).
using ExpectedResults = std::function<std::vector<Array>(std::span<const Array>)>;

/// What check_function looks at; all of it by default.
struct FunctionCheck {
    ExpectedResults expected = {};  ///< Without it the results are not compared with others.
    std::vector<Dtype> dtypes = {Dtype::float16, Dtype::float32,
                                 Dtype::float64};  ///< Of the float inputs, in turn.
    bool backward = true;  ///< check_backward in float64, where some input is of floats.
    bool double_backward =
        true;  ///< check_double_backward in float64; the gradient must be written with functions.
    bool compiled = true;  ///< A static region gives the same results and gradients.
    GradientCheck gradients = {.eps = 1e-4, .atol = 1e-6, .rtol = 1e-4};
    /// Tolerances of results in float64; for other dtypes at least what the dtype resolves: 1e-4 of
    /// float32, 2e-2 of 16 bits.
    double atol = 1e-9, rtol = 1e-9;
};

/// Tests a function of one's own as Chainer's testing.FunctionTestCase does:
///
///     ct::check_function([](auto xs) { return ct::Variables{swish(xs[0])}; }, {x},
///                        {.expected = [](auto xs) { return std::vector{swish_by_hand(xs[0])}; }});
///
/// For each dtype the results are those expected; inputs with gaps between their elements give the
/// same bits; the inputs are not changed. CheckError that says which check failed, in which dtype.
void check_function(const TestedFunction& function, const std::vector<Array>& inputs,
                    const FunctionCheck& options = {},
                    const std::source_location& at = std::source_location::current());

/// The same of an elementwise function of one array, against a function of numbers, at points of
/// [low, high): testing.unary_math_function_unittest.
struct UnaryCheck {
    double low = -1, high = 1;
    FunctionCheck options = {};  ///< `expected` is not read.
};
void check_unary_function(const std::function<Variable(const Variable&)>& function,
                          const std::function<double(double)>& expected,
                          const UnaryCheck& options = {},
                          const std::source_location& at = std::source_location::current());

}  // namespace catena
