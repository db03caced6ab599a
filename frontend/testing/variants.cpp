#include "frontend/testing/variants.h"

#include <algorithm>
#include <utility>

#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/walk/gradient.h"

namespace catena::checks {
namespace {

Array with_gaps(const Array& x) {
    Shape larger = x.shape();
    larger.push_back(2);
    const Array memory = Array::zeros({x.dtype(), larger});
    Strides strides = x.shape();
    for (int axis = 0; axis < x.rank(); ++axis) strides[axis] = memory.strides()[axis];
    const Array spread = memory.view(x.shape(), strides, 0);
    copy_elements(x, spread);
    return spread;
}

/// What a call and its backward give.
struct Outcome {
    std::vector<Variable> ys, gradients;
};

Outcome run(const TestedFunction& function, const std::vector<Variable>& xs,
            const std::vector<Variable>& params, bool backward) {
    Outcome outcome;
    std::vector<Variable> differentiable, leaves;
    for (const Variable& y : function(xs)) {
        outcome.ys.push_back(y);
        if (y.requires_grad()) differentiable.push_back(y);
    }
    if (!backward || differentiable.empty()) return outcome;
    for (const Variable& x : xs)
        if (is_float(x.dtype())) leaves.push_back(x);
    leaves.insert(leaves.end(), params.begin(), params.end());
    std::vector<Variable> starts;
    for (const Variable& y : differentiable) starts.emplace_back(Array::full(y.type(), 1), false);
    for (const Variable& g : grad(differentiable, leaves, starts))
        if (g.defined()) outcome.gradients.push_back(g);
    return outcome;
}

std::vector<Array> arrays_of(const std::vector<Variable>& variables) {
    std::vector<Array> arrays;
    for (const Variable& variable : variables) arrays.push_back(variable.array());
    return arrays;
}

void check_count(const std::string& what, size_t found, size_t expected) {
    if (found != expected)
        fail<CheckError>("{}: there are {}, {} are expected", what, found, expected);
}

}  // namespace

std::vector<Array> in_dtype(std::span<const Array> xs, Dtype dtype) {
    std::vector<Array> converted;
    for (const Array& x : xs) converted.push_back(is_float(x.dtype()) ? x.astype(dtype) : x);
    return converted;
}

std::vector<Array> copies_of(const std::vector<Array>& xs) {
    std::vector<Array> copies;
    for (const Array& x : xs) {
        copies.push_back(Array::empty(x.type(), x.device()));
        copy_elements(x, copies.back());
    }
    return copies;
}

std::vector<Array> with_gaps(const std::vector<Array>& xs) {
    std::vector<Array> spread;
    for (const Array& x : xs) spread.push_back(with_gaps(x));
    return spread;
}

double resolution(Dtype dtype) {
    switch (dtype) {
        case Dtype::float16:
        case Dtype::bfloat16:
            return 2e-2;
        case Dtype::float32:
            return 1e-4;
        default:
            return 1e-9;
    }
}

void same_elements(const std::string& what, const std::vector<Array>& xs,
                   const std::vector<Array>& ys) {
    in_context(what, [&] { near("elements", xs, ys, 0, 0); });
}

void near(const std::string& what, const std::vector<Array>& xs, const std::vector<Array>& ys,
          double atol, double rtol) {
    check_count(what, xs.size(), ys.size());
    for (size_t i = 0; i < xs.size(); ++i)
        in_context(fmt::format("{} {}", what, i),
                   [&] { assert_allclose(xs[i], ys[i], atol, rtol); });
}

void in_context(const std::string& context, const std::function<void()>& check) {
    try {
        check();
    } catch (const CheckError& error) {
        fail<CheckError>("{}: {}", context, error.what());
    }
}

void check_compiled(const std::string& name, const TestedFunction& function,
                    const std::vector<Array>& xs, const std::vector<Variable>& params,
                    bool backward) {
    std::vector<Variable> inputs;
    double tolerance = resolution(Dtype::float64);
    for (const Array& x : xs) {
        inputs.emplace_back(x, backward && is_float(x.dtype()));
        if (is_float(x.dtype())) tolerance = std::max(tolerance, resolution(x.dtype()));
    }
    const Outcome eager = run(function, inputs, params, backward);
    auto region = static_graph(
        [&](const std::vector<Variable>& given) {
            const Outcome outcome = run(function, given, params, backward);
            return std::pair(outcome.ys, outcome.gradients);
        },
        {.name = name});
    for (int call = 0; call < 2; ++call) {
        const auto [ys, gradients] = region(inputs);
        near(name + ": as a static region, result", arrays_of(ys), arrays_of(eager.ys), tolerance,
             tolerance);
        near(name + ": as a static region, gradient", arrays_of(gradients),
             arrays_of(eager.gradients), tolerance, tolerance);
    }
}

}  // namespace catena::checks
