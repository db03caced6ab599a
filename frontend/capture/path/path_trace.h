#pragma once

#include <span>
#include <string>

#include "frontend/capture/path/path.h"

namespace catena::capture {

/// The steps of a segment up to `last` as a program, without outputs. Its values are the segment's,
/// renumbered from 0; its inputs are those that a step reads.
Trace trace_of_path(const Tree& tree, const Segment& segment, const Step* last,
                    const std::string& name, std::span<const double> scalars);

/// The types of those values of a path that come from outside, in order. The pointers lead into the
/// tree.
std::vector<const Type*> input_types_of_path(const Tree& tree, const Segment& segment,
                                             const Step* last, std::span<const int> values);

/// Approximate memory of a trace, in bytes.
size_t bytes_of(const Trace& trace);

}  // namespace catena::capture
