#pragma once

#include <optional>

#include "runtime/graph/trace/trace.h"

namespace catena {

/// The border in a program that runs in two parts, forward and later backward: an operation whose
/// inputs are all that the first part gives, and then what only the second is given, gradients
/// among it; its outputs are the latter, unchanged. So everything that reads them depends on all of
/// the first part, which no pass can move or fuse beyond it. It has no kernel.
const OpDef& border_op();

/// What belongs to the first part: so many of the program's inputs and outputs, the first ones, and
/// all that it assigns.
struct Border {
    int inputs = 0, outputs = 0;
};

/// `given`: how many arrays only the second part is given.
Attributes attributes_of(const Border& border, int given);
/// Nothing for a program in one part.
std::optional<Border> border_of(const Trace& trace);

}  // namespace catena
