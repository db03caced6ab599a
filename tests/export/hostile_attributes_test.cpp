// Calls in a package or from C whose attributes were changed: the type rule refuses them, or the
// kernel stays in its memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>

#include "runtime/capi.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/trace/tracer.h"
#include "runtime/program/schedule/check_schedule.h"
#include "tests/ops/row_runner.h"

namespace catena::testing {
namespace {

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
            if (!step.op->kernel || ++count[step.op] > 4) continue;
            Call call{
                row.function.empty() ? row.op : row.function, step.op, step.attributes, {}, {}, {}};
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
    const int64_t numbers[] = {-1,        0,        1, 2, 3, -7, 7, 8, 100, int64_t(1) << 33,
                               INT64_MAX, INT64_MIN};
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
        if (dims->rank() > 0)
            found.emplace_back(
                Dims(std::span<const int64_t>(dims->begin(), size_t(dims->rank() - 1))));
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
            std::vector<Attributes::Entry> entries(attributes.entries().begin(),
                                                   attributes.entries().end());
            entries[i].value = other;
            found.emplace_back(std::move(entries));
        }
        std::vector<Attributes::Entry> fewer(attributes.entries().begin(),
                                             attributes.entries().end());
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
    EXPECT_GT(calls.size(), 200u);
    for (const Call& call : calls) {
        ASSERT_NO_THROW(program::check_schedule(schedule_of(call, call.attributes)))
            << call.op->name << " of " << call.row;
        run_all(call);
    }
}

catena_attribute in_c(const Attributes::Entry& entry) {
    catena_attribute a = {entry.name, CATENA_FLAG, 0, 0, 0, nullptr, nullptr};
    if (const bool* flag = std::get_if<bool>(&entry.value)) a.integer = *flag;
    if (const int64_t* integer = std::get_if<int64_t>(&entry.value))
        a.kind = CATENA_INTEGER, a.integer = *integer;
    if (const double* number = std::get_if<double>(&entry.value))
        a.kind = CATENA_NUMBER, a.number = *number;
    if (const std::string* text = std::get_if<std::string>(&entry.value))
        a.kind = CATENA_TEXT, a.text = text->c_str();
    if (const Dims* dims = std::get_if<Dims>(&entry.value))
        a.kind = CATENA_DIMS, a.dims = dims->begin(), a.dim_count = dims->rank();
    return a;
}

/// An array with bytes around it that nobody writes.
class Guarded {
public:
    explicit Guarded(const Type& type)
        : type_(type), strides_(contiguous_strides(type.shape)), memory_(bytes() + 2 * around, 1) {}
    catena_tensor tensor() {
        return {memory_.data() + around, int32_t(type_.dtype), int32_t(type_.shape.rank()),
                type_.shape.begin(), strides_.begin()};
    }
    /// All ones, which indices and sizes may be, too.
    void fill() {
        const Array ones = Array::full(type_, 1);
        if (bytes() > 0) std::memcpy(memory_.data() + around, ones.raw_data(), bytes());
    }
    bool is_whole() const {
        const auto is_one = [](unsigned char byte) { return byte == 1; };
        return std::all_of(memory_.begin(), memory_.begin() + around, is_one) &&
               std::all_of(memory_.end() - around, memory_.end(), is_one);
    }

private:
    static constexpr std::ptrdiff_t around = 256;
    size_t bytes() const { return size_t(element_count(type_.shape)) * size_of(type_.dtype); }
    Type type_;
    Strides strides_;
    std::vector<unsigned char> memory_;
};

/// What C is told of the call with these attributes; empty where it succeeds.
std::string error_in_c(const Call& call, const Attributes& attributes) {
    std::vector<Guarded> arrays;
    for (const std::vector<Type>* types : {&call.inputs, &call.outputs})
        for (const Type& type : *types) arrays.emplace_back(type).fill();
    std::vector<catena_tensor> tensors;
    for (Guarded& array : arrays) tensors.push_back(array.tensor());
    std::vector<catena_attribute> given;
    for (const Attributes::Entry& entry : attributes.entries()) given.push_back(in_c(entry));
    const catena_op_call made = {call.op->name.c_str(),
                                 given.data(),
                                 call.scalars.data(),
                                 tensors.data(),
                                 tensors.data() + call.inputs.size(),
                                 int32_t(given.size()),
                                 int32_t(call.scalars.size()),
                                 int32_t(call.inputs.size()),
                                 int32_t(call.outputs.size())};
    char error[1024] = "";
    const int status = catena_call_op(&made, error, sizeof error);
    EXPECT_EQ(status == CATENA_OK, error[0] == 0) << call.op->name;
    for (const Guarded& array : arrays)
        EXPECT_TRUE(array.is_whole()) << call.op->name << " of " << call.row;
    return error;
}

TEST(HostileAttributes, are_refused_or_do_no_harm_in_c) {
    using ::testing::AllOf, ::testing::HasSubstr, ::testing::Not;
    const auto is_clear =
        AllOf(Not(HasSubstr("internal error")), Not(HasSubstr("bad_function_call")),
              Not(HasSubstr("std::")), Not(HasSubstr("basic_string")), Not(HasSubstr("vector")));
    double longest = 0;
    for (const Call& call : calls_of_all_rows()) {
        EXPECT_THAT(error_in_c(call, call.attributes), is_clear)
            << call.op->name << " of " << call.row;
        for (const Attributes& attributes : variants_of(call.attributes)) {
            const auto start = std::chrono::steady_clock::now();
            EXPECT_THAT(error_in_c(call, attributes), is_clear)
                << call.op->name << " of " << call.row;
            longest = std::max(
                longest,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
    }
    EXPECT_LT(longest, 10);
}

}  // namespace
}  // namespace catena::testing
