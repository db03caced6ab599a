#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

/// Integers divide towards zero.
Variable divide(const Variable& a, const Variable& b) {
    if (is_float(a.dtype())) return a / b;
    return cast(trunc(in_float64(a) / in_float64(b)), a.dtype());
}

/// The sign of the divisor, or with fmod that of the dividend.
Variable modulo(const NodeCall& n) {
    const Variable rest = fmod(n[0], n[1]);
    if (n.integer("fmod", 0) != 0) return rest;
    const Variable zero = constant_like(rest, 0);
    const Variable other_side = (rest != zero) && ((rest < zero) != (n[1] < zero));
    return cast(where(other_side, rest + n[1], rest), n[0].dtype());
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

/// Halves go to the even neighbour.
Variables nearest(const NodeCall& n) {
    const Variable &x = n[0], below = floor(x), rest = x - below;
    const Variable up =
        rest > 0.5 || (rest == 0.5 && fmod(absolute(below), constant_like(x, 2)) == 1.0);
    return {where(up, below + 1, below)};
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

const int importers = add_importers({
    {"Div", [](const NodeCall& n) { return Variables{divide(n[0], n[1])}; }},
    {"Mod", [](const NodeCall& n) { return Variables{modulo(n)}; }},
    {"Pow", [](const NodeCall& n) { return Variables{power(n[0], n[1])}; }},
    {"Max", fold([](const Variable& a, const Variable& b) { return maximum(a, b); })},
    {"Min", fold([](const Variable& a, const Variable& b) { return minimum(a, b); })},
    {"Sum", fold([](const Variable& a, const Variable& b) { return a + b; })},
    {"Mean", mean_of_all},
    {"Round", nearest},
    {"Asinh", inverse_hyperbolic_sine},
    {"Acosh", inverse_hyperbolic_cosine},
    {"Atanh", inverse_hyperbolic_tangent},
});

}  // namespace
}  // namespace catena::onnx
