// Calls in a package whose attributes were changed: the type rule refuses them, or the kernel stays in its memory.
#include <gtest/gtest.h>

#include <map>

#include "runtime/graph/config.h"
#include "runtime/graph/tracer.h"
#include "runtime/program/check_schedule.h"
#include "tests/ops/row_runner.h"

namespace catena::testing {
namespace {

bool is_called(const OpDef& op) {
    return op.kernel && op.kind != Kind::map && op.kind != Kind::reduce && !op.body && !op.view;
}

/// One call of an operation's own kernel, as some row of the op table makes it.
struct Call {
    std::string row;
    const OpDef* op = nullptr;
    Attributes attributes;
    std::vector<Type> inputs, outputs;
    std::vector<double> scalars;
};

std::vector<Call> calls_of_all_rows() {
    std::vector<Call> calls;
    std::map<const OpDef*, int> count;
    const auto no_graph = no_backprop_mode();
    for (const Row& row : all_rows()) {
        if (!runs_in(row, Dtype::float32)) continue;
        Generator generator = generator_for(row);
        Tracer tracer(false);
        const Arrays arrays = draw(row.inputs, Dtype::float32, generator);
        for (size_t i = 0; i < arrays.size(); ++i)
            if (arrays[i].defined()) tracer.add_argument(arrays[i], "x" + std::to_string(i));
        try {
            RecorderScope scope(&tracer);
            call_row(row, as_variables(arrays));
        } catch (const Error&) {
            continue;
        }
        const Trace& trace = tracer.trace();
        for (const Trace::Step& step : trace.steps) {
            if (!is_called(*step.op) || step.attributes.entries().empty() || ++count[step.op] > 4) continue;
            Call call{row.function.empty() ? row.op : row.function, step.op, step.attributes, {}, {}, {}};
            for (int v : step.inputs) call.inputs.push_back(trace.values[size_t(v)].type);
            for (int v : step.outputs) call.outputs.push_back(trace.values[size_t(v)].type);
            for (int s : step.scalars) call.scalars.push_back(trace.scalars[size_t(s)].value);
            calls.push_back(std::move(call));
        }
    }
    return calls;
}

/// Other values of the same kind, and of another.
std::vector<Attribute> others(const Attribute& value) {
    const int64_t numbers[] = {-1, 0, 1, 2, 3, -7, 7, 8, 100, int64_t(1) << 33, INT64_MAX, INT64_MIN};
    std::vector<Attribute> found;
    if (std::holds_alternative<int64_t>(value))
        for (int64_t number : numbers) found.emplace_back(number);
    if (const Dims* dims = std::get_if<Dims>(&value)) {
        for (int i = 0; i < dims->rank(); ++i)
            for (int64_t number : numbers) {
                Dims other = *dims;
                other[i] = number;
                found.emplace_back(other);
            }
        found.emplace_back(Dims());
        Dims longer = *dims;
        if (longer.rank() < max_rank) longer.push_back(1), found.emplace_back(longer);
        if (dims->rank() > 0) found.emplace_back(Dims(std::span<const int64_t>(dims->begin(), size_t(dims->rank() - 1))));
    }
    if (const bool* flag = std::get_if<bool>(&value)) found.emplace_back(!*flag);
    if (std::holds_alternative<std::string>(value)) {
        found.emplace_back(std::string());
        found.emplace_back(std::string("float64"));
    }
    found.emplace_back(0.5);
    return found;
}

std::vector<Attributes> variants_of(const Attributes& attributes) {
    std::vector<Attributes> found;
    for (size_t i = 0; i < attributes.entries().size(); ++i) {
        for (const Attribute& other : others(attributes.entries()[i].value)) {
            std::vector<Attributes::Entry> entries(attributes.entries().begin(), attributes.entries().end());
            entries[i].value = other;
            found.emplace_back(std::move(entries));
        }
        std::vector<Attributes::Entry> fewer(attributes.entries().begin(), attributes.entries().end());
        fewer.erase(fewer.begin() + std::ptrdiff_t(i));
        found.emplace_back(std::move(fewer));
    }
    return found;
}

/// A schedule of one call on arrays of their own.
program::Schedule schedule_of(const Call& call, const Attributes& attributes) {
    program::Schedule s;
    program::LibraryCall made;
    made.op = call.op;
    made.attributes = attributes;
    auto view = [&](const Type& type, program::Buffer::Place place, size_t index) {
        program::Buffer buffer;
        buffer.place = place;
        buffer.index = int(index);
        buffer.bytes = size_t(element_count(type.shape)) * size_of(type.dtype);
        buffer.first = place == program::Buffer::Place::input ? -1 : 0;
        buffer.last = 0;
        s.buffers.push_back(buffer);
        return program::View{int(s.buffers.size()) - 1, 0, type, contiguous_strides(type.shape)};
    };
    for (size_t i = 0; i < call.inputs.size(); ++i) {
        s.input_types.push_back(call.inputs[i]);
        made.inputs.push_back(view(call.inputs[i], program::Buffer::Place::input, i));
    }
    for (size_t i = 0; i < call.outputs.size(); ++i) {
        made.outputs.push_back(view(call.outputs[i], program::Buffer::Place::output, i));
        s.results.push_back({-1, made.outputs.back()});
    }
    made.scalars.assign(call.scalars.size(), 0);
    s.library_calls.push_back(std::move(made));
    s.launches.push_back({0, {}});
    return s;
}

void run_all(const Call& call) {
    std::vector<Array> inputs, outputs;
    for (const Type& type : call.inputs) inputs.push_back(Array::full(type, 1));
    for (const Type& type : call.outputs) outputs.push_back(Array::zeros(type));
    for (const Attributes& attributes : variants_of(call.attributes)) {
        try {
            program::check_schedule(schedule_of(call, attributes));
            call.op->kernel(KernelCall{*call.op, inputs, outputs, attributes, call.scalars});
        } catch (const std::exception&) {
        }
    }
}

TEST(HostileAttributes, are_refused_or_do_no_harm) {
    const std::vector<Call> calls = calls_of_all_rows();
    EXPECT_GT(calls.size(), 40u);
    for (const Call& call : calls) {
        ASSERT_NO_THROW(program::check_schedule(schedule_of(call, call.attributes))) << call.op->name << " of " << call.row;
        run_all(call);
    }
}

}  // namespace
}  // namespace catena::testing
