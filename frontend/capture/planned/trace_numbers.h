#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/graph/trace/trace.h"

// What differs between two recordings of the same code at other sizes: the sizes of all values, and
// integers among the attributes. These are the numbers of a trace.

namespace catena::capture {

/// The numbers of a recording: first the sizes of all values, then the integers among the
/// attributes.
std::vector<int64_t> numbers_of(const Trace& trace);
/// How many of the recording's numbers are sizes.
size_t size_count(const Trace& trace);

/// Whether two traces, including the user's lines in them, differ in their numbers only.
bool differ_in_numbers_only(const Trace& a, const Trace& b);

/// A copy of the trace with other numbers; nothing if the ops refuse them.
std::optional<Trace> with_numbers(const Trace& trace, std::span<const int64_t> numbers);

/// A copy of the trace that holds no arrays and states.
Trace without_owners(Trace trace);

/// Whether the type rules of all ops accept the types of their inputs and give the types of their
/// outputs.
bool type_rules_hold(const Trace& trace);

/// The largest number of changing factors in a product of a value's sizes, or in the offset of a
/// slice. `moving`: for each number of the trace, whether it changes.
int changing_factors(const Trace& trace, std::span<const char> moving);

}  // namespace catena::capture
