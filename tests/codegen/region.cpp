#include "tests/codegen/region.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/graph/variable/variable_body.h"

namespace catena::test {

Region::Region(const Function& function, const std::vector<Array>& arguments,
               const CompileOptions& options)
    : arguments_(arguments) {
    Tracer tracer(false);
    std::vector<Variable> variables;
    for (size_t i = 0; i < arguments.size(); ++i) {
        tracer.add_argument(arguments[i], "x" + std::to_string(i));
        variables.emplace_back(arguments[i], false);
    }
    std::vector<Variable> results;
    {
        RecorderScope scope(&tracer);
        results = function(variables);
    }
    std::vector<int> outputs;
    for (const Variable& result : results) {
        eager_.push_back(result.array());
        outputs.push_back(tracer.value_of(result.array()));
    }
    trace_ = tracer.trace();
    trace_.name = "test";
    trace_.outputs = outputs;
    for (const Trace::ScalarSlot& slot : trace_.scalars) scalars_.push_back(slot.value);
    executable_ = compiler().compile(trace_, options);
}

std::vector<Array> Region::inputs(const std::vector<Array>& arguments) const {
    std::vector<Array> inputs;
    size_t argument = 0;
    for (int i : trace_.inputs) {
        const Trace::Value& value = trace_.values[size_t(i)];
        switch (value.role) {
            case Trace::Role::argument:
                inputs.push_back(arguments.at(argument++));
                break;
            case Trace::Role::captured:
                inputs.push_back(value.captured);
                break;
            default:
                inputs.push_back(value.state->array);
        }
    }
    return inputs;
}

std::vector<Array> Region::run(const std::vector<Array>& arguments, bool donate_states) const {
    std::vector<Array> given = inputs(arguments);
    auto donated = std::make_unique<bool[]>(given.size());
    for (size_t i = 0; i < given.size(); ++i)
        donated[i] =
            donate_states && trace_.values[size_t(trace_.inputs[i])].role == Trace::Role::state;
    std::vector<Array> outputs(trace_.outputs.size() + trace_.assigns.size());
    executable_->run(given, scalars_, {donated.get(), given.size()}, outputs);
    return outputs;
}

std::vector<Array> Region::step(const std::vector<Array>& arguments) {
    std::vector<Array> outputs = run(arguments, true);
    for (size_t i = 0; i < trace_.assigns.size(); ++i)
        trace_.values[size_t(trace_.assigns[i].target)].state->array =
            outputs[trace_.outputs.size() + i];
    outputs.resize(trace_.outputs.size());
    return outputs;
}

Variable state(const Array& content) {
    Variable variable(content, false);
    variable.body()->is_state = true;
    variable.array().body()->owner = variable.body();
    return variable;
}

Array random_array(const Type& type, uint32_t seed, double low, double high) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> any(low, high);
    std::vector<double> values(size_t(element_count(type.shape)));
    for (double& value : values) value = any(engine);
    return Array::from(values, type.shape).astype(type.dtype);
}

namespace {

double epsilon_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::float16:
            return std::ldexp(1.0, -11);
        case Dtype::bfloat16:
            return std::ldexp(1.0, -8);
        case Dtype::float32:
            return std::ldexp(1.0, -24);
        default:
            return std::ldexp(1.0, -53);
    }
}

void compare(const Array& compiled, const Array& eager, const Array& truth, double slack) {
    ASSERT_EQ(compiled.type(), eager.type());
    std::vector<double> c = compiled.to_vector<double>(), e = eager.to_vector<double>(),
                        t = truth.to_vector<double>();
    if (!is_float(compiled.dtype())) {
        EXPECT_EQ(c, e);
        return;
    }
    double largest = 0, eager_error = 0;
    for (size_t i = 0; i < t.size(); ++i) {
        if (!std::isfinite(t[i])) continue;
        largest = std::max(largest, std::abs(t[i]));
        if (std::isfinite(e[i])) eager_error = std::max(eager_error, std::abs(e[i] - t[i]));
    }
    double allowed = 2 * eager_error + slack * epsilon_of(compiled.dtype()) * largest;
    for (size_t i = 0; i < t.size(); ++i) {
        if (!std::isfinite(e[i])) {
            EXPECT_TRUE(std::isnan(e[i]) ? std::isnan(c[i]) : c[i] == e[i]) << "element " << i;
        } else {
            ASSERT_NEAR(c[i], t[i], allowed)
                << "element " << i << " of " << to_string(compiled.type()) << ", eager " << e[i];
        }
    }
}

}  // namespace

void expect_as_near_as_eager(const Function& function, const std::vector<Array>& arguments,
                             double slack) {
    std::vector<Variable> wide;
    for (const Array& argument : arguments)
        wide.emplace_back(is_float(argument.dtype()) ? argument.astype(Dtype::float64) : argument,
                          false);
    std::vector<Variable> truth = function(wide);
    Region region(function, arguments);
    std::vector<Array> compiled = region.run();
    for (size_t i = 0; i < compiled.size(); ++i)
        compare(compiled[i], region.eager()[i], truth[i].array(), slack);
}

}  // namespace catena::test
