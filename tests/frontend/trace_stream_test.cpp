// A recording is written as a row of numbers, and made of one.
#include "frontend/capture/planned/trace_stream.h"

#include <gtest/gtest.h>

#include <numeric>

#include "frontend/catena.h"
#include "runtime/graph/trace/tracer.h"
#include "runtime/program/stream/rolled_stream.h"
#include "tests/frontend/capture_models.h"

namespace catena::capture {
namespace {

/// Of a recurrent network over a text of this length, with its gradients.
Trace recording(int64_t length) {
    Tracer tracer(false);
    Parameter W(testing::batch(1, 6, 6).array());
    const Array x = reshape(testing::batch(2, length * 4, 6), {length, 4, 6}).array();
    tracer.add_argument(x, "x");
    std::vector<Array> results;
    {
        RecorderScope scope(&tracer);
        const Variable text(x, false);
        Variable h = text[0] * 0.5;
        for (int64_t t = 1; t < length; ++t) h = tanh(matmul(h, W) * 0.25 + text[t]);
        const Variable loss = sum(h * h);
        loss.backward();
        results = {loss.array(), W.grad()};
    }
    Trace trace = tracer.trace();
    for (const Array& result : results) trace.outputs.push_back(tracer.value_of(result));
    return trace;
}

std::vector<size_t> same_places(const program::NumberStream& tokens) {
    std::vector<size_t> places(tokens.size());
    std::iota(places.begin(), places.end(), size_t(0));
    return places;
}

TEST(TraceStream, gives_back_the_recording) {
    const Trace trace = recording(5);
    const program::NumberStream tokens = stream_of(trace);
    const std::optional<Trace> again = trace_of(tokens, same_places(tokens), trace);
    ASSERT_TRUE(again);
    EXPECT_EQ(stream_of(*again), tokens);
    EXPECT_EQ(again->steps.size(), trace.steps.size());
    EXPECT_EQ(again->values.size(), trace.values.size());
    for (const Trace::Value& value : again->values)
        EXPECT_FALSE(value.state || value.captured.defined()) << "it holds what is another's";
}

TEST(TraceStream, gives_recordings_of_other_lengths) {
    const Trace longer = recording(9);
    const auto rolled =
        program::RolledStream::through(stream_of(recording(7)), stream_of(longer), 2);
    ASSERT_TRUE(rolled);
    for (const int64_t length : {6, 8, 12, 40}) {
        program::NumberStream tokens;
        std::vector<size_t> source;
        ASSERT_TRUE(rolled->write(length - 9, tokens, source));
        const std::optional<Trace> made = trace_of(tokens, source, longer);
        ASSERT_TRUE(made) << length;
        EXPECT_EQ(stream_of(*made), stream_of(recording(length))) << length;
    }
}

TEST(TraceStream, refuses_numbers_that_no_recording_has) {
    const Trace trace = recording(5);
    const program::NumberStream tokens = stream_of(trace);
    const std::vector<size_t> places = same_places(tokens);
    for (size_t count = 0; count < tokens.size(); ++count)
        EXPECT_FALSE(trace_of({tokens.begin(), tokens.begin() + ptrdiff_t(count)},
                              std::span(places).first(count), trace))
            << count;
    for (size_t i = 0; i < tokens.size(); ++i)
        for (const int64_t number : {int64_t(-1), tokens[i].number + 1, int64_t(1) << 40}) {
            program::NumberStream other = tokens;
            other[i].number = number;
            const std::optional<Trace> made =
                trace_of(other, places, trace);  // It may be one: of another axis, for example.
            if (!made) continue;
            for (const Trace::Step& step : made->steps)
                for (const int v : step.inputs)
                    EXPECT_TRUE(v >= 0 && v < int(made->values.size())) << "token " << i;
        }
}

}  // namespace
}  // namespace catena::capture
