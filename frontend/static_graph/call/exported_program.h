#pragma once

#include <string>
#include <vector>

#include "runtime/graph/trace.h"

namespace catena {

/// A recorded program for a file, independent of the process that recorded it.
struct ExportedProgram {
    struct Value {
        enum Kind : uint8_t { argument, state, constant, result } kind = argument;
        int index = 0;  ///< Index of the argument, or in `states`, `constants` or Trace::outputs.
    };
    Trace trace;                 ///< Its outputs are the user's results, without values kept for
                                 ///< backward.
    std::vector<Value> sources;  ///< One per Trace::inputs.
    std::vector<Value> results;  ///< One per Variable that the region returns.
    std::vector<int> states;     ///< Values of the trace,
    std::vector<int> constants;  ///< and these.
    std::vector<int> assigned;   ///< One per Trace::assigns: the index in `states`.
};

}  // namespace catena
