#pragma once

#include <string>

#include "runtime/graph/trace/trace.h"

namespace catena {

/// The difference between two arrays, for messages: "float32[4] or float32[5]", "int64[3], element
/// [1] is 3 or 4". Empty where they have one type and the same bits.
std::string difference(const Array& a, const Array& b);

/// The function that the user called, and its line: "take (model.cpp:12)".
std::string to_string(const Trace::Step& step);

/// The first step that reads a value, for messages: "take (model.cpp:12) reads". Empty if none
/// does.
std::string first_use(const Trace& trace, int value);

}  // namespace catena
