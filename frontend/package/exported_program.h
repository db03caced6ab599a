#pragma once

#include <string>
#include <vector>

#include "runtime/graph/trace.h"

namespace catena {

/// A recorded program as a file can hold it: nothing of it belongs to the process that recorded it.
struct ExportedProgram {
    struct Value {
        enum Kind : uint8_t { argument, state, constant, result } kind = argument;
        int index = 0;  ///< Of the argument; else among `states`, `constants` or Trace::outputs.
    };
    Trace trace;                  ///< Its outputs are what users get, not what a backward would need.
    std::vector<Value> sources;   ///< One per Trace::inputs.
    std::vector<Value> results;   ///< One per Variable that the region returns.
    std::vector<int> states;      ///< Values of the trace,
    std::vector<int> constants;   ///< and these.
    std::vector<int> assigned;    ///< One per Trace::assigns: which of `states`.
};

}  // namespace catena
