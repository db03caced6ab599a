#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/graph/trace.h"
#include "runtime/program/stream/number_stream.h"

namespace catena::capture {

/// What of a recording each token of its stream begins: the number of a step, a value or a scalar;
/// -1: none.
struct TraceParts {
    std::vector<int> steps, values, scalars;
    std::vector<char> is_first;  ///< The value is described there, where it is first used.
};

/// A recording as a row of numbers, step by step; values are numbered and described where they are
/// first used. Two recordings with the same stream are the same program: they differ at most in
/// names and in the values of scalars.
program::NumberStream stream_of(const Trace& trace, TraceParts* parts = nullptr);

/// The recording whose stream is `tokens`. Token i has the form of token `source[i]` of `trace`'s
/// stream, and its part is made like that one's, without the states and arrays that `trace` holds.
/// Nothing if there is no such recording, or the ops refuse its sizes.
std::optional<Trace> trace_of(const program::NumberStream& tokens, std::span<const size_t> source,
                              const Trace& trace);

}  // namespace catena::capture
