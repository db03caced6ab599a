#pragma once

#include "benchmarks/limit/traffic.h"

namespace catena::tool {

/// Seconds of the fastest of several runs of `call` in the best of these forms: oneDNN with
/// operands and results in the layouts that it chooses, prepared outside of the time; oneDNN's
/// product of row-major matrices; Catena's own kernel on row-major arrays.
double fastest_seconds(const ProductCall& call);

}  // namespace catena::tool
