#pragma once

#include <string>

#include "runtime/graph/trace/trace.h"

namespace catena {

/// The first difference between two recordings of one program, apart from sizes and the values of
/// numbers: "attribute 'axis' of sum (model.cpp:12) is 0 or 1". Empty where their structure is the
/// same.
std::string structure_difference(const Trace& was, const Trace& is);

}  // namespace catena
