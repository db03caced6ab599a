#pragma once

#include <functional>
#include <span>
#include <vector>

#include "frontend/testing/gradient_check.h"

namespace catena {

/// A function that gives the expected results, computed in another way. It is called with arrays of
/// float64 (and integers as they are).
using ExpectedResults = std::function<std::vector<Array>(std::span<const Array>)>;

/// The parts of check_function; by default it checks everything.
struct FunctionCheck {
    /// The expected results; without it the results are not compared with others.
    ExpectedResults expected = {};
    /// The dtypes in which the float inputs are given, one after the other.
    std::vector<Dtype> dtypes = {Dtype::float16, Dtype::float32, Dtype::float64};
    bool backward = true;  ///< Whether check_backward runs, in float64, if some input is of floats.
    /// Whether check_double_backward runs, in float64; the gradient must be written with functions.
    bool double_backward = true;
    bool compiled = true;  ///< Whether a static region must give the same results and gradients.
    GradientCheck gradients = {.eps = 1e-4, .atol = 1e-6, .rtol = 1e-4};
    /// Tolerances of results in float64; for other dtypes they are at least the dtype's resolution:
    /// 1e-4 for float32, 2e-2 for 16 bits.
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

/// The options of a check of an elementwise function of one array, against a function of numbers,
/// at points of [low, high): Chainer's testing.unary_math_function_unittest.
struct UnaryCheck {
    double low = -1, high = 1;
    FunctionCheck options = {};  ///< Options of the check; `expected` is not read.
};
void check_unary_function(const std::function<Variable(const Variable&)>& function,
                          const std::function<double(double)>& expected,
                          const UnaryCheck& options = {},
                          const std::source_location& at = std::source_location::current());

}  // namespace catena
