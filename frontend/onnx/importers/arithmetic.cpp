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
    return n.flag("fmod") ? fmod(n[0], n[1]) : remainder(n[0], n[1]);
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

const int arithmetic_importers = add_importers({
    Importer("Add", directly).of(Role::operand),
    Importer("Mul", directly).of(Role::operand),
    Importer("Sub", directly).of(Role::carried),
    Importer("Div", [](const NodeCall& n) { return Variables{divide(n[0], n[1])}; })
        .of(Role::carried),
    {"Mod", [](const NodeCall& n) { return Variables{modulo(n)}; }},
    {"Pow", [](const NodeCall& n) { return Variables{power(n[0], n[1])}; }},
    {"Max", fold([](const Variable& a, const Variable& b) { return maximum(a, b); })},
    {"Min", fold([](const Variable& a, const Variable& b) { return minimum(a, b); })},
    Importer("Sum", fold([](const Variable& a, const Variable& b) { return a + b; }))
        .of(Role::operand),
    {"Mean", mean_of_all},
    {"Round", [](const NodeCall& n) { return Variables{nearest_even(n[0])}; }},
});

}  // namespace
}  // namespace catena::onnx
