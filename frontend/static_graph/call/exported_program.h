#pragma once

#include <string>
#include <vector>

#include "runtime/graph/trace/trace.h"

namespace catena {

/// A recorded program for a file, independent of the process that recorded it.
struct ExportedProgram {
    struct Value {
        enum Kind : uint8_t { argument, state, constant, result } kind = argument;
        int index = 0;  ///< Index of the argument, or in `states`, `constants` or Trace::outputs.
    };
    /// The program; its outputs are the user's results, without values saved for backward.
    Trace trace;
    std::vector<Value> sources;  ///< The origin of each of Trace::inputs.
    std::vector<Value> results;  ///< The origin of each Variable that the region returns.
    std::vector<int> states;     ///< The states, as values of the trace.
    std::vector<int> constants;  ///< The constants, as values of the trace.
    std::vector<int> assigned;   ///< For each of Trace::assigns, the index in `states`.
};

}  // namespace catena
