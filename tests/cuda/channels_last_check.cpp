#include "tests/cuda/channels_last_check.h"

#include <cmath>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/graph/variable/variable_body.h"
#include "runtime/program/run/device_executable.h"
#include "tests/cuda/emulated_device.h"

namespace catena::testing {

namespace {

Variables with_gradients(Variables results, const Variable& loss, const std::vector<Variable>& of) {
    for (const Variable& gradient : grad({loss}, of)) results.push_back(gradient);
    return results;
}

}  // namespace

Array smooth(const Shape& shape, Dtype dtype, double scale, int phase) {
    std::vector<double> numbers(size_t(element_count(shape)));
    for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = scale * std::sin(double(i) * 0.7 + phase);
    return Array::from(numbers, shape).astype(dtype);
}

RecordedCall record_arrays(const ArrayFunction& function, const std::vector<Array>& inputs) {
    std::vector<Variable> arguments;
    for (const Array& input : inputs) arguments.emplace_back(input, true);
    return record_call(function, arguments);
}

DeviceRun run_as_program(const RecordedCall& call, const std::vector<Array>& inputs) {
    EmulatedDevice& device = EmulatedDevice::instance();
    const Trace& trace = call.trace;
    const auto program = std::static_pointer_cast<program::DeviceExecutable>(
        compiler().compile(trace, {.device = &device}));
    std::vector<Array> given;
    for (int v : trace.inputs) {
        const Trace::Value& value = trace.values[size_t(v)];
        Array array = value.role == Trace::Role::state ? value.state->array : value.captured;
        for (size_t i = 0; i < call.arguments.size(); ++i)
            if (call.arguments[i] == v) array = inputs[i];
        given.push_back(array.to(device));
    }
    std::vector<double> scalars;
    for (const Trace::ScalarSlot& slot : trace.scalars) scalars.push_back(slot.value);
    std::vector<Array> results(trace.outputs.size() + trace.assigns.size());
    DeviceRun run{.images_last = program->info().channels_last, .launches = -device.launches()};
    program->run(given, scalars, {}, results);
    run.launches += device.launches();
    for (const Array& result : results) run.results.push_back(result.to(cpu_device()));
    return run;
}

double distance(const Array& a, const Array& b) {
    const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>();
    if (x.size() != y.size()) return INFINITY;
    double most = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const double each = std::abs(x[i] - y[i]) / (1 + std::abs(y[i]));
        most = std::isnan(each) ? INFINITY : std::max(most, each);
    }
    return most;
}

std::vector<Array> network_inputs(Dtype dtype) {
    return {smooth({3, 3, 8, 6}, dtype, 1, 0), smooth({8, 3, 3, 3}, dtype, 0.3, 1),
            smooth({4, 16, 3, 2}, dtype, 0.2, 2), smooth({8}, dtype, 0.5, 3),
            smooth({8}, dtype, 0.5, 4)};
}

Variables network(const std::vector<Variable>& v) {
    const Variable h =
        relu(batch_normalization(convolution_2d(v[0], v[1], {.pad = {1}}), v[3], v[4]));
    const Variable joined = concat({max_pooling_2d(h, 2), average_pooling_2d(h * 0.5, 2)}, 1);
    const Variable y = convolution_2d(joined, v[2], {.pad = {1}});
    const Variable by_channel = sum(square(y), Axes{0, 2, 3}), by_position = sum(h, Axes{1}),
                   means = mean(h, Axes{2, 3});
    return with_gradients({y, by_channel, by_position, means, softmax(h, 1)},
                          sum(by_channel) + sum(square(means)), v);
}

Variables moving_network(const std::vector<Variable>& v) {
    const Variable h = convolution_2d(v[0], v[1], {.pad = {1}});
    const Variable joined = concat({max_pooling_2d(h, 3, {.stride = {2}, .pad = {1}}),
                                    max_pooling_2d(h * -1.0, 3, {.stride = {2}, .pad = {1}})},
                                   1);
    const Variable y = convolution_2d(joined, v[2], {.stride = {2}, .pad = {1}});
    return with_gradients({}, sum(square(y)), {v[0], v[1], v[2]});
}

}  // namespace catena::testing
