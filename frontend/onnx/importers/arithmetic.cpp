#include <numbers>

#include "frontend/onnx/importers/shared.h"
#include "runtime/ops/math/division.h"

namespace catena::onnx {
namespace {

/// Integers divide towards zero: what fmod leaves goes into them without a rest.
Variable divide(const Variable& a, const Variable& b) {
    return is_float(a.dtype()) ? a / b : floor_divide(a - fmod(a, b), b);
}

/// The sign of the divisor, or with fmod that of the dividend.
Variable modulo(const NodeCall& n) {
    return n.integer("fmod", 0) != 0 ? fmod(n[0], n[1]) : remainder(n[0], n[1]);
}

Variable power(const Variable& x, const Variable& y) {
    if (is_float(x.dtype())) return pow(x, cast(y, x.dtype()));
    return cast(pow(in_float64(x), in_float64(y)), x.dtype());
}

template <class F>
std::function<Variables(const NodeCall&)> fold(F f) {
    return [f](const NodeCall& n) {
        Variable result = n[0];
        for (int i = 1; i < n.count(); ++i) result = f(result, n[i]);
        return Variables{result};
    };
}

Variables mean_of_all(const NodeCall& n) {
    Variable sum = n[0];
    for (int i = 1; i < n.count(); ++i) sum = sum + n[i];
    return {sum * (1.0 / n.count())};
}

Variables inverse_hyperbolic_sine(const NodeCall& n) {
    const Variable x = absolute(n[0]);  // of positive numbers, where nothing cancels
    return {log(x + sqrt(x * x + 1)) * sign(n[0])};
}
Variables inverse_hyperbolic_cosine(const NodeCall& n) {
    return {log(n[0] + sqrt(n[0] * n[0] - 1))};
}
Variables inverse_hyperbolic_tangent(const NodeCall& n) {
    return {(log1p(n[0]) - log1p(-n[0])) * 0.5};
}

/// The angle is quartered until a Taylor series of eleven terms is exact.
Variable arc_tangent(const Variable& given) {
    const Variable x = size_of(given.dtype()) < 4 ? cast(given, Dtype::float32) : given;
    const Variable size = absolute(x), steep = size > 1.0;
    Variable t = where(steep, 1.0 / size, size);
    for (int i = 0; i < 2; ++i) t = t / (1 + sqrt(1 + t * t));
    const Variable square = t * t;
    Variable series = square * (1.0 / 21);
    for (int k = 19; k >= 3; k -= 2) series = (1.0 / k - series) * square;
    const Variable angle = t * (1 - series) * 4.0;
    return cast(where(steep, std::numbers::pi / 2 - angle, angle) * sign(x), given.dtype());
}
Variables arc_sine(const NodeCall& n) {
    return {arc_tangent(n[0] / sqrt((1 - n[0]) * (1 + n[0])))};
}
Variables arc_cosine(const NodeCall& n) {
    return {arc_tangent(sqrt((1 - n[0]) / (1 + n[0]))) * 2.0};
}

const int importers = add_importers({
    {"Div", [](const NodeCall& n) { return Variables{divide(n[0], n[1])}; }},
    {"Mod", [](const NodeCall& n) { return Variables{modulo(n)}; }},
    {"Pow", [](const NodeCall& n) { return Variables{power(n[0], n[1])}; }},
    {"Max", fold([](const Variable& a, const Variable& b) { return maximum(a, b); })},
    {"Min", fold([](const Variable& a, const Variable& b) { return minimum(a, b); })},
    {"Sum", fold([](const Variable& a, const Variable& b) { return a + b; })},
    {"Mean", mean_of_all},
    {"Round", [](const NodeCall& n) { return Variables{nearest_even(n[0])}; }},
    {"Atan", [](const NodeCall& n) { return Variables{arc_tangent(n[0])}; }},
    {"Asin", arc_sine},
    {"Acos", arc_cosine},
    {"Asinh", inverse_hyperbolic_sine},
    {"Acosh", inverse_hyperbolic_cosine},
    {"Atanh", inverse_hyperbolic_tangent},
});

}  // namespace
}  // namespace catena::onnx
