#include "tests/cuda/device_call.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/graph/trace/tracer.h"
#include "runtime/graph/variable/variable_body.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/program/run/device_executable.h"
#include "tests/ops/compiled_check.h"
#include "tests/ops/gradient_check.h"

namespace catena::testing {

namespace {

using program::DeviceExecutable;

/// Whether all that the program does is done element by element.
bool only_maps(const DeviceExecutable& program) {
    if (!program.schedule().library_calls.empty()) return false;
    for (const program::KernelLaunch& launch : program.schedule().kernels)
        if (launch.geometry.reduced != 0) return false;
    return true;
}

/// Functions of float64, and pow, are the platform's own: the emulation calls the host's, a GPU has
/// others, which differ by some units of the last place (on an H100 7.6 of float64), of float32 by
/// one.
bool is_near(double actual, double expected, Dtype dtype) {
    const double most = dtype == Dtype::float64 ? 0x1p-48 : dtype == Dtype::float32 ? 0x1p-23 : 0;
    return std::abs(actual - expected) <= most * std::abs(expected);
}

/// With functions of the platform's own nearly; `differs` becomes true where an element of float32
/// does.
void expect_same_bits(const Array& actual, const Array& expected, bool own_functions,
                      bool& differs) {
    ASSERT_EQ(to_string(actual.type()), to_string(expected.type()));
    const Array a = actual.as_contiguous(), e = expected.as_contiguous();
    const size_t size = size_of(a.dtype());
    const auto* x = static_cast<const char*>(a.raw_data());
    const auto* y = static_cast<const char*>(e.raw_data());
    const std::vector<double> numbers = a.to_vector<double>(), others = e.to_vector<double>();
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (std::isnan(numbers[i]) && std::isnan(others[i])) continue;
        const bool same = std::memcmp(x + i * size, y + i * size, size) == 0;
        differs |= !same && a.dtype() == Dtype::float32;
        ASSERT_TRUE(same || (own_functions && is_near(numbers[i], others[i], a.dtype())))
            << "element " << i << " is " << numbers[i] << ", on the host " << others[i];
    }
}

bool asks_the_host(const Trace& trace) {
    return std::any_of(trace.steps.begin(), trace.steps.end(),
                       [](const Trace::Step& step) { return !host_only_reason(*step.op).empty(); });
}

}  // namespace

RecordedCall record_call(const ArrayFunction& run, const std::vector<Variable>& inputs) {
    RecordedCall made;
    Tracer tracer(false);
    for (size_t i = 0; i < inputs.size(); ++i)
        made.arguments.push_back(
            inputs[i].defined() ? tracer.add_argument(inputs[i].array(), "x" + std::to_string(i))
                                : -1);
    {
        RecorderScope scope(&tracer);
        made.results = run(inputs);
    }
    std::vector<int> outputs;
    for (const Variable& y : made.results) outputs.push_back(tracer.value_of(y.array()));
    made.trace = tracer.trace();
    made.trace.name = "row";
    made.trace.outputs = outputs;
    return made;
}

Variables DeviceCalls::operator()(const ArrayFunction& run, const std::vector<Variable>& inputs) {
    const RecordedCall call = record_call(run, inputs);
    const Trace& trace = call.trace;
    const Variables& expected = call.results;
    if (!second_) {
        programs_.push_back(nullptr);
        programs_.back() = std::static_pointer_cast<DeviceExecutable>(
            compiler().compile(trace, {.device = &device_}));
        return expected;
    }
    const std::shared_ptr<DeviceExecutable> made = programs_.at(next_++);
    if (!made) throw std::runtime_error("there is no program");
    DeviceExecutable& program = *made;

    std::vector<Array> given;
    for (int v : trace.inputs) {
        const Trace::Value& value = trace.values[size_t(v)];
        Array array = value.role == Trace::Role::state ? value.state->array : value.captured;
        for (size_t i = 0; i < call.arguments.size(); ++i)
            if (call.arguments[i] == v) array = inputs[i].array();
        given.push_back(array.to(device_));
    }
    std::vector<double> scalars;
    for (const Trace::ScalarSlot& slot : trace.scalars) scalars.push_back(slot.value);
    std::vector<Array> results(trace.outputs.size() + trace.assigns.size());
    const int64_t host_calls = kernel_provider().host_calls();
    program.run(given, scalars, {}, results);
    if (!asks_the_host(trace)) {
        EXPECT_EQ(kernel_provider().host_calls(), host_calls) << "a row left the device";
    }
    Variables actual;
    for (size_t i = 0; i < trace.outputs.size(); ++i) {
        actual.emplace_back(results[i].to(cpu_device()), false);
        if (!only_maps(program)) continue;
        bool differs = false;
        expect_same_bits(actual.back().array(), expected[i].array(),
                         device_.architecture() != "text", differs);
        float32_differences_ += differs;
    }
    return actual;
}

void check_rows(DeviceCalls& calls, size_t part, size_t parts) {
    compiled() = [&calls](const auto& run, const auto& inputs) { return calls(run, inputs); };
    size_t number = 0;
    for (const Row& row : all_rows()) {
        if (number++ % parts != part) continue;
        SCOPED_TRACE(row.function + " " + row.op + " " + row.note);
        try {
            check_compiled(row);
            check_compiled_gradient(row);
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
    }
    compiled() = nullptr;
}

Variables call_on_device(CodeDevice& device, const ArrayFunction& run,
                         const std::vector<Variable>& inputs) {
    DeviceCalls calls(device);
    calls(run, inputs);
    calls.begin_second_round();
    return calls(run, inputs);
}

}  // namespace catena::testing
