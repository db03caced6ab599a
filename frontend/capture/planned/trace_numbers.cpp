#include "frontend/capture/planned/trace_numbers.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/alike_attributes.h"
#include "runtime/graph/op/map_type.h"

namespace catena::capture {
namespace {

bool alike(const Trace::Step& a, const Trace::Step& b) {
    return a.op == b.op && a.inputs == b.inputs && a.outputs == b.outputs &&
           a.scalars == b.scalars && a.location.line == b.location.line &&
           std::string_view(a.location.file) == b.location.file &&
           std::string_view(a.function) == b.function &&
           alike_attributes(a.attributes, b.attributes);
}

bool alike(const Trace::Value& a, const Trace::Value& b) {
    return a.type.dtype == b.type.dtype && a.type.shape.rank() == b.type.shape.rank() &&
           a.role == b.role;
}

}  // namespace

std::vector<int64_t> numbers_of(const Trace& trace) {
    std::vector<int64_t> numbers;
    for (const Trace::Value& value : trace.values)
        numbers.insert(numbers.end(), value.type.shape.begin(), value.type.shape.end());
    for (const Trace::Step& step : trace.steps)
        for (const Attributes::Entry& entry : step.attributes.entries()) {
            if (const Dims* dims = std::get_if<Dims>(&entry.value))
                numbers.insert(numbers.end(), dims->begin(), dims->end());
            else if (const int64_t* integer = std::get_if<int64_t>(&entry.value))
                numbers.push_back(*integer);
        }
    return numbers;
}

size_t size_count(const Trace& trace) {
    size_t count = 0;
    for (const Trace::Value& value : trace.values) count += size_t(value.type.shape.rank());
    return count;
}

bool differ_in_numbers_only(const Trace& a, const Trace& b) {
    auto same_assign = [](const Trace::Assign& x, const Trace::Assign& y) {
        return x.target == y.target && x.value == y.value;
    };
    return a.values.size() == b.values.size() && a.steps.size() == b.steps.size() &&
           a.scalars.size() == b.scalars.size() && a.inputs == b.inputs && a.outputs == b.outputs &&
           a.name == b.name && std::ranges::equal(a.assigns, b.assigns, same_assign) &&
           std::ranges::equal(a.steps, b.steps,
                              [](const auto& x, const auto& y) { return alike(x, y); }) &&
           std::ranges::equal(a.values, b.values,
                              [](const auto& x, const auto& y) { return alike(x, y); });
}

Trace without_owners(Trace trace) {
    for (Trace::Value& value : trace.values) {
        value.state = {};
        value.captured = {};
    }
    for (Trace::ScalarSlot& scalar : trace.scalars) scalar.cell = {};
    return trace;
}

bool type_rules_hold(const Trace& trace) try {
    for (const Trace::Step& step : trace.steps) {
        SmallVector<Type, 4> inputs;
        for (int v : step.inputs) inputs.push_back(trace.values[size_t(v)].type);
        const OpDef& op = *step.op;
        Types outputs;
        if (op.type)
            outputs = op.type(TypeCall{op, inputs, step.attributes});
        else
            for (size_t i = 0; i < step.outputs.size(); ++i)
                outputs.push_back(map_type(op, inputs));
        if (outputs.size() != step.outputs.size()) return false;
        for (size_t i = 0; i < outputs.size(); ++i)
            if (!(outputs[i] == trace.values[size_t(step.outputs[i])].type)) return false;
    }
    return true;
} catch (const Error&) {
    return false;
}

std::optional<Trace> with_numbers(const Trace& trace, std::span<const int64_t> numbers) {
    Trace made = trace;
    size_t next = 0;
    for (Trace::Value& value : made.values)
        for (int64_t& size : value.type.shape) size = numbers[next++];
    for (Trace::Step& step : made.steps) {
        std::vector<Attributes::Entry> entries(step.attributes.entries().begin(),
                                               step.attributes.entries().end());
        for (Attributes::Entry& entry : entries) {
            if (Dims* dims = std::get_if<Dims>(&entry.value))
                for (int64_t& number : *dims) number = numbers[next++];
            else if (int64_t* integer = std::get_if<int64_t>(&entry.value))
                *integer = numbers[next++];
        }
        step.attributes = Attributes(std::move(entries));
    }
    if (!type_rules_hold(made)) return std::nullopt;
    return made;
}

int changing_factors(const Trace& trace, std::span<const char> moving) {
    std::vector<int> of_value;
    size_t next = 0;
    for (const Trace::Value& value : trace.values) {
        const auto end = moving.begin() + ptrdiff_t(next) + value.type.shape.rank();
        of_value.push_back(int(std::count(moving.begin() + ptrdiff_t(next), end, char(1))));
        next += size_t(value.type.shape.rank());
    }
    int most = *std::max_element(of_value.begin(), of_value.end());
    for (const Trace::Step& step : trace.steps) {
        int places = 0;
        for (const Attributes::Entry& entry : step.attributes.entries()) {
            const Dims* dims = std::get_if<Dims>(&entry.value);
            const size_t count =
                dims ? size_t(dims->rank()) : size_t(std::holds_alternative<int64_t>(entry.value));
            for (size_t i = 0; i < count; ++i)
                places += moving[next++] && step.op->kind == Kind::slice;
        }
        if (places > 0) most = std::max(most, of_value[size_t(step.inputs[0])] + 1);
    }
    return most;
}

}  // namespace catena::capture
