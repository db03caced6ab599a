#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/graph/trace/trace.h"
#include "runtime/program/stream/number_stream.h"

namespace catena::capture {

/// The parts of a recording by the tokens of its stream: at each token the number of the step,
/// value or scalar that begins there; -1: none.
struct TraceParts {
    std::vector<int> steps, values, scalars;
    /// For each token, whether it begins the description of a value, at the value's first use.
    std::vector<char> is_first;
};

/// A recording as a list of numbers (tokens), step by step; values are numbered and described where
/// they are first used. Two recordings with the same stream are the same program: they differ at
/// most in names and in the values of scalars.
program::NumberStream stream_of(const Trace& trace, TraceParts* parts = nullptr);

/// The recording whose stream is `tokens`. Token i has the form of token `source[i]` of `trace`'s
/// stream, and its part is made like that one's, without the states and arrays that `trace` holds.
/// Nothing if there is no such recording, or if the ops refuse its sizes.
std::optional<Trace> trace_of(const program::NumberStream& tokens, std::span<const size_t> source,
                              const Trace& trace);

}  // namespace catena::capture
