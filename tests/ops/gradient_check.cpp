#include "tests/ops/gradient_check.h"

#include <cmath>

#include <gtest/gtest.h>

#include "runtime/graph/walk/gradient.h"
#include "tests/ops/row_runner.h"

namespace catena::testing {

namespace {

double dot(const Array& a, const Array& b) {
    const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>();
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

Array moved(const Array& x, const Array& direction, double step) {
    Reference y = to_reference(x);
    const std::vector<double> d = direction.to_vector<double>();
    for (size_t i = 0; i < d.size(); ++i) y.values[i] += step * d[i];
    return to_array(y, x.dtype());
}

/// A gradient, zeros where nothing flowed.
Array or_zeros(const Variable& gradient, const Type& type) {
    return gradient.defined() ? gradient.array() : Array::zeros(type);
}

/// One call in float64 that can be repeated beside its point: inputs, and gradients of the float
/// outputs.
struct Point {
    const Row& row;
    std::vector<size_t> targets;  ///< Inputs that move.
    Arrays inputs;
    Arrays gy;

    struct Call {
        std::vector<Variable> inputs;
        std::vector<Variable> targets;
        std::vector<Variable> outputs;  ///< Those with a gradient.
    };
    Call call(Dtype dtype = Dtype::float64) const {
        Call result;
        for (const Array& input : inputs)
            result.inputs.push_back(!input.defined()          ? Variable()
                                    : is_float(input.dtype()) ? Variable(input.astype(dtype), false)
                                                              : Variable(input, false));
        for (size_t i : targets) {
            result.inputs[i] = Variable(result.inputs[i].array(), true);
            result.targets.push_back(result.inputs[i]);
        }
        for (const Variable& y : call_row(row, result.inputs))
            if (y.requires_grad()) result.outputs.push_back(y);
        return result;
    }
    /// sum of outputs times gy.
    double value() const {
        const Call made = call();
        double sum = 0;
        for (size_t i = 0; i < gy.size(); ++i) sum += dot(made.outputs[i].array(), gy[i]);
        return sum;
    }
    Arrays gradients(Dtype dtype = Dtype::float64) const {
        const Call made = call(dtype);
        std::vector<Variable> grad_outputs;
        for (size_t i = 0; i < gy.size(); ++i)
            grad_outputs.emplace_back(gy[i].astype(made.outputs[i].dtype()), false);
        const Variables gx = grad(made.outputs, made.targets, grad_outputs);
        Arrays result;
        for (size_t i = 0; i < targets.size(); ++i) {
            result.push_back(or_zeros(gx[i], made.targets[i].type()));
            EXPECT_EQ(to_string(result.back().type()), to_string(made.targets[i].type()));
        }
        return result;
    }
};

Point make_point(const Row& row, Generator& generator) {
    Point point{row, differentiable_inputs(row), draw(row.inputs, Dtype::float64, generator), {}};
    for (const Variable& y : point.call().outputs)
        point.gy.push_back(draw_like(y.type(), generator));
    return point;
}

constexpr double step = 1e-5;

void expect_slope(double analytic, double numeric, double scale, double tolerance) {
    EXPECT_LE(std::abs(analytic - numeric), 2e-7 * tolerance * (1 + scale))
        << "analytic " << analytic << ", numeric " << numeric;
}

}  // namespace

void check_gradient(const Row& row) {
    SCOPED_TRACE("gradient");
    if (!runs_in(row, Dtype::float64)) return;
    Generator generator = generator_for(row);
    Point point = make_point(row, generator);
    EXPECT_EQ(!point.gy.empty(), row.gradient) << "differentiable or not, against the row";
    if (point.gy.empty()) return;
    const Arrays gx = point.gradients();
    for (size_t i = 0; i < point.targets.size(); ++i) {
        SCOPED_TRACE("input " + std::to_string(point.targets[i]));
        const Array direction = draw_like(gx[i].type(), generator);
        Array& x = point.inputs[point.targets[i]];
        const Array origin = x;
        x = moved(origin, direction, step);
        const double after = point.value();
        x = moved(origin, direction, -step);
        const double before = point.value();
        x = origin;
        expect_slope(dot(gx[i], direction), (after - before) / (2 * step), std::abs(after),
                     row.tolerance);
    }
    for (Dtype dtype : {Dtype::float32, Dtype::float16}) {
        if (!runs_in(row, dtype)) continue;
        SCOPED_TRACE("gradient in " + std::string(name_of(dtype)));
        Point rounded = point;
        for (Array& input : rounded.inputs)
            if (input.defined() && is_float(input.dtype()))
                input = input.astype(dtype).astype(Dtype::float64);
        for (Array& g : rounded.gy) g = g.astype(dtype).astype(Dtype::float64);
        const Arrays expected = rounded.gradients(), actual = rounded.gradients(dtype);
        for (size_t i = 0; i < expected.size(); ++i)
            expect_near(actual[i], to_reference(expected[i]),
                        4 * row.tolerance * tolerance_of(dtype));
    }
}

void check_double_gradient(const Row& row) {
    SCOPED_TRACE("double gradient");
    Generator generator = generator_for(row);
    Point point = make_point(row, generator);
    if (point.gy.empty()) return;

    const Point::Call made = point.call();
    std::vector<Variable> gy;
    for (const Array& g : point.gy) gy.emplace_back(g, true);
    const Variables gx = grad(made.outputs, made.targets, gy, {.enable_double_backprop = true});
    const Arrays plain = point.gradients();
    std::vector<Variable> flowing, ggx;
    Arrays directions;
    for (size_t i = 0; i < point.targets.size(); ++i) {
        directions.push_back(draw_like(made.targets[i].type(), generator));
        expect_near(plain[i], to_reference(or_zeros(gx[i], plain[i].type())),
                    4 * row.tolerance * 1e-12);
        if (!gx[i].defined() || !gx[i].requires_grad()) continue;
        flowing.push_back(gx[i]);
        ggx.emplace_back(directions.back(), false);
    }
    std::vector<Variable> variables = made.targets;
    variables.insert(variables.end(), gy.begin(), gy.end());
    Variables second(variables.size());
    if (!flowing.empty()) second = grad(flowing, variables, ggx);

    const auto value = [&] {
        const Arrays g = point.gradients();
        double sum = 0;
        for (size_t i = 0; i < g.size(); ++i) sum += dot(g[i], directions[i]);
        return sum;
    };
    for (size_t k = 0; k < variables.size(); ++k) {
        const size_t inputs = point.targets.size();
        SCOPED_TRACE(k < inputs ? "input " + std::to_string(point.targets[k])
                                : "gy " + std::to_string(k - inputs));
        Array& x = k < inputs ? point.inputs[point.targets[k]] : point.gy[k - inputs];
        const Array origin = x;
        const Array direction = draw_like(origin.type(), generator);
        x = moved(origin, direction, step);
        const double after = value();
        x = moved(origin, direction, -step);
        const double before = value();
        x = origin;
        expect_slope(dot(or_zeros(second[k], origin.type()), direction),
                     (after - before) / (2 * step), std::abs(after), row.tolerance);
    }
}

void check_compiled_gradient(const Row& row) {
    if (!compiled() || !row.gradient || !runs_in(row, Dtype::float32)) return;
    if (row.before) return;  // A replay does not run the host code that sets the seed.
    SCOPED_TRACE("compiled gradient");
    Generator generator = generator_for(row);
    Point point{row, differentiable_inputs(row), draw(row.inputs, Dtype::float32, generator), {}};
    for (const Variable& y : point.call(Dtype::float32).outputs)
        point.gy.push_back(draw_like(y.type(), generator));
    const Arrays expected = point.gradients(Dtype::float32);

    std::vector<Variable> arguments = as_variables(point.inputs);
    for (size_t i : point.targets) arguments[i] = Variable(arguments[i].array(), true);
    for (const Array& g : point.gy) arguments.emplace_back(g, false);
    std::vector<bool> flows(point.targets.size());
    const auto gradients = [&](const std::vector<Variable>& all) {
        const std::vector<Variable> inputs(all.begin(), all.begin() + point.inputs.size());
        const std::vector<Variable> gy(all.begin() + point.inputs.size(), all.end());
        std::vector<Variable> outputs, targets;
        for (const Variable& y : call_row(row, inputs))
            if (y.requires_grad()) outputs.push_back(y);
        for (size_t i : point.targets) targets.push_back(inputs[i]);
        Variables flowing;
        const Variables gx = grad(outputs, targets, gy);
        for (size_t i = 0; i < gx.size(); ++i)
            if ((flows[i] = gx[i].defined())) flowing.push_back(gx[i]);
        return flowing;
    };
    const Variables actual = compiled()(gradients, arguments);
    size_t next = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        SCOPED_TRACE("input " + std::to_string(point.targets[i]));
        if (flows[i])
            expect_near(actual[next++].array(), to_reference(expected[i]),
                        8 * row.tolerance * tolerance_of(Dtype::float32));
    }
}

}  // namespace catena::testing
