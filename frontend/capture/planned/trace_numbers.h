#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/graph/trace.h"

// What differs between two recordings of the same code at other sizes: the sizes of all values, and
// integers among the attributes. These are the numbers of a trace.

namespace catena::capture {

/// First the sizes of all values, then the integers among the attributes.
std::vector<int64_t> numbers_of(const Trace& trace);
/// How many of the numbers are sizes.
size_t size_count(const Trace& trace);

/// Whether two traces, and the user's lines in them, are the same but for their numbers.
bool differ_in_numbers_only(const Trace& a, const Trace& b);

/// The trace with other numbers; nothing if the ops refuse them.
std::optional<Trace> with_numbers(const Trace& trace, std::span<const int64_t> numbers);

/// The same, holding nobody's arrays and states.
Trace without_owners(Trace trace);

/// Whether the ops accept the types of their inputs and give those of their outputs.
bool type_rules_hold(const Trace& trace);

/// The largest number of factors that change in a product of a value's sizes, or in the place of a
/// slice. `moving`: by number of the trace, whether it changes.
int changing_factors(const Trace& trace, std::span<const char> moving);

}  // namespace catena::capture
