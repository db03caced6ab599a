// A recording that is kept packed is the same when it is unpacked.
#include "frontend/capture/path/packed_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "frontend/capture/path/path_trace.h"
#include "frontend/catena.h"
#include "runtime/graph/trace/tracer.h"
#include "tests/frontend/capture_models.h"

namespace catena::capture {
namespace {

/// Of a loop over a text, with parameters, a constant, a cell, gradients and a new content of a
/// state.
Trace recording(int64_t length) {
    Tracer tracer(false);
    Parameter W(testing::batch(1, 6, 6).array()), total(testing::batch(3, 1, 6).array());
    W.set_name("/W");
    Cell rate(0.25);
    const Array x = reshape(testing::batch(2, length * 4, 6), {length, 4, 6}).array();
    const Variable constant = testing::batch(4, 4, 6);
    tracer.add_argument(x, "x");
    std::vector<Array> results;
    {
        RecorderScope scope(&tracer);
        const Variable text(x, false);
        Variable h = text[0] * 0.5;
        for (int64_t t = 1; t < length; ++t)
            h = tanh(matmul(h, W) * Scalar(rate) + text[t] + constant);
        const Variable loss = sum(h * h);
        loss.backward();
        assign(total, total + sum(h, {0}, true));
        results = {loss.array(), W.grad()};
    }
    Trace trace = tracer.trace();
    trace.name = "loop";
    for (const Array& result : results) trace.outputs.push_back(tracer.value_of(result));
    return trace;
}

void expect_same(const Trace& a, const Trace& b) {
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.inputs, b.inputs);
    EXPECT_EQ(a.outputs, b.outputs);
    ASSERT_EQ(a.assigns.size(), b.assigns.size());
    for (size_t i = 0; i < a.assigns.size(); ++i)
        EXPECT_EQ(std::pair(a.assigns[i].target, a.assigns[i].value),
                  std::pair(b.assigns[i].target, b.assigns[i].value));
    ASSERT_EQ(a.scalars.size(), b.scalars.size());
    for (size_t i = 0; i < a.scalars.size(); ++i) {
        EXPECT_EQ(a.scalars[i].value, b.scalars[i].value);
        EXPECT_EQ(a.scalars[i].cell.get(), b.scalars[i].cell.get());
    }
    ASSERT_EQ(a.values.size(), b.values.size());
    for (size_t i = 0; i < a.values.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_EQ(a.values[i].type, b.values[i].type);
        EXPECT_EQ(a.values[i].role, b.values[i].role);
        EXPECT_EQ(a.values[i].name, b.values[i].name);
        EXPECT_EQ(a.values[i].state.get(), b.values[i].state.get());
        EXPECT_EQ(a.values[i].captured.body(), b.values[i].captured.body());
    }
    ASSERT_EQ(a.steps.size(), b.steps.size());
    for (size_t i = 0; i < a.steps.size(); ++i) {
        SCOPED_TRACE(i);
        const Trace::Step &s = a.steps[i], &t = b.steps[i];
        EXPECT_EQ(s.op, t.op);
        EXPECT_EQ(s.inputs, t.inputs);
        EXPECT_EQ(s.outputs, t.outputs);
        EXPECT_EQ(s.scalars, t.scalars);
        EXPECT_EQ(s.attributes, t.attributes);
        EXPECT_EQ(std::string_view(s.location.file), t.location.file);
        EXPECT_EQ(std::string_view(s.location.function), t.location.function);
        EXPECT_EQ(s.location.line, t.location.line);
        EXPECT_EQ(std::string_view(s.function), t.function);
    }
}

TEST(PackedTrace, gives_back_the_recording) {
    for (const int64_t length : {2, 3, 12}) {
        SCOPED_TRACE(length);
        const Trace trace = recording(length);
        expect_same(PackedTrace(trace).unpacked(), trace);
    }
    const Trace trace = recording(3);
    const auto has = [&](Trace::Role role) {
        return std::ranges::any_of(trace.values,
                                   [&](const Trace::Value& v) { return v.role == role; });
    };
    EXPECT_TRUE(has(Trace::Role::argument) && has(Trace::Role::state) &&
                has(Trace::Role::captured) && has(Trace::Role::computed));
    EXPECT_EQ(trace.assigns.size(), 1u);
    EXPECT_TRUE(std::ranges::any_of(
        trace.scalars, [](const Trace::ScalarSlot& slot) { return slot.cell.get() != nullptr; }));
}

TEST(PackedTrace, of_nothing_is_an_empty_recording) {
    expect_same(PackedTrace().unpacked(), Trace());
    expect_same(PackedTrace(Trace()).unpacked(), Trace());
}

TEST(PackedTrace, tells_operations_of_one_line_apart) {
    Trace trace = recording(4);
    const auto twin = std::ranges::find_if(
        trace.steps, [&](const Trace::Step& s) { return std::string_view(s.op->name) == "tanh"; });
    ASSERT_NE(twin, trace.steps.end());
    Trace::Step other = *twin;
    other.attributes = {{"axis", int64_t(1)}};
    trace.steps.push_back(other);
    other.attributes = {{"axis", int64_t(2)}};
    trace.steps.push_back(other);
    other.location.function = "another";
    trace.steps.push_back(other);
    other.function = "called";
    trace.steps.push_back(other);
    expect_same(PackedTrace(trace).unpacked(), trace);
}

TEST(PackedTrace, of_a_loop_takes_a_fraction_of_its_memory) {
    const Trace trace = recording(40);
    EXPECT_LT(PackedTrace(trace).bytes(), bytes_of(trace) / 4);
}

}  // namespace
}  // namespace catena::capture
