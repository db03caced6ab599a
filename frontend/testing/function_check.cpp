#include "frontend/testing/function_check.h"

#include <algorithm>

#include "frontend/static_graph/static_graph.h"
#include "frontend/testing/variants.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/gradient.h"

namespace catena {
namespace {

std::vector<Variable> plain(const std::vector<Array>& xs) {
    std::vector<Variable> variables;
    for (const Array& x : xs) variables.emplace_back(x, false);
    return variables;
}

std::vector<Array> results(const TestedFunction& function, const std::vector<Array>& xs) {
    const auto mode = no_backprop_mode();
    std::vector<Array> arrays;
    for (const Variable& y : function(plain(xs))) arrays.push_back(y.array());
    return arrays;
}

bool has_floats(const std::vector<Array>& xs) {
    return std::any_of(xs.begin(), xs.end(), [](const Array& x) { return is_float(x.dtype()); });
}

void check_forward(const TestedFunction& function, const std::vector<Array>& xs, Dtype dtype,
                   const FunctionCheck& options) {
    const std::vector<Array> before = checks::copies_of(xs), ys = results(function, xs);
    checks::same_elements("check_function: an input was changed", xs, before);
    checks::same_elements(
        "check_function: inputs with gaps between their elements give other results",
        results(function, checks::with_gaps(xs)), ys);
    if (!options.expected) return;
    const double least = checks::resolution(dtype);
    checks::near("check_function: results", ys,
                 options.expected(checks::in_dtype(xs, Dtype::float64)),
                 std::max(options.atol, least), std::max(options.rtol, least));
}

}  // namespace

void check_function(const TestedFunction& function, const std::vector<Array>& inputs,
                    const FunctionCheck& options, const std::source_location& at) {
    const LocationScope scope(at);
    if (options.dtypes.empty()) fail<ValueError>("check_function: no dtypes are given");
    const bool floats = has_floats(inputs);
    for (const Dtype dtype : options.dtypes) {
        checks::in_context(fmt::format("inputs of {}", name_of(dtype)), [&] {
            check_forward(function, checks::in_dtype(inputs, dtype), dtype, options);
        });
        if (!floats) break;  // All the same.
    }
    const std::vector<Array> wide = checks::in_dtype(inputs, Dtype::float64);
    if (floats && options.backward) check_backward(function, wide, {}, options.gradients, at);
    if (floats && options.backward && options.double_backward)
        check_double_backward(function, wide, {}, {}, options.gradients, at);
    if (options.compiled)
        checks::check_compiled("check_function", function,
                               checks::in_dtype(inputs, options.dtypes.back()), {},
                               floats && options.backward);
}

void check_unary_function(const std::function<Variable(const Variable&)>& function,
                          const std::function<double(double)>& expected, const UnaryCheck& check,
                          const std::source_location& at) {
    if (!(check.low < check.high)) {
        const LocationScope scope(at);
        fail<ValueError>("check_unary_function: the points of [{}, {}) are none", check.low,
                         check.high);
    }
    FunctionCheck options = check.options;
    options.expected = [&](std::span<const Array> xs) {
        std::vector<double> values = xs[0].to_vector<double>();
        for (double& value : values) value = expected(value);
        return std::vector<Array>{Array::from(values, xs[0].shape())};
    };
    std::vector<double> points;  // Spread evenly, none at a bound.
    for (int i = 0; i < 12; ++i)
        points.push_back(check.low + (check.high - check.low) * (i + 0.5) / 12);
    const Array all = Array::from(points, {3, 4});
    const TestedFunction tested = [&](std::span<const Variable> xs) {
        return Variables{function(xs[0])};
    };
    for (const Array& x : {all, Array::from(std::vector<double>{points[7]}, Shape{}),
                           Array::zeros({Dtype::float64, {0, 3}})}) {
        FunctionCheck of_shape = options;
        if (x.size() == 0) of_shape.backward = false;  // No slopes.
        check_function(tested, {x}, of_shape, at);
    }
}

}  // namespace catena
