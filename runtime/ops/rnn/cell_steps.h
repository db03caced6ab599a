#pragma once

#include <functional>

#include "runtime/graph/variable/variable.h"

namespace catena {

// One step of the cells of runtime/cpu/recurrent/recurrent_cells.h in terms of other operations.
// ONNX has the same cells with other functions.

using CellFunction = std::function<Variable(const Variable&)>;
struct CellFunctions {
    CellFunction gate;    ///< The function of the gates; the sigmoid.
    CellFunction state;   ///< The function of the input to the state; tanh.
    CellFunction output;  ///< The function of c' in the output; tanh.
};
const CellFunctions& usual_functions();

/// The sums x W^T + h R^T + b of the LSTM's gates. An undefined f means 1 - i (after the gate
/// function).
struct LstmSums {
    Variable i, f, a, o;
};
/// Factors of c (of c' for o) that are added to the sums of the gates, where defined.
struct LstmPeepholes {
    Variable i, f, o;
};
struct LstmStep {
    Variable h, c;
};
LstmStep lstm_step(const LstmSums& sums, const Variable& c,
                   const CellFunctions& s = usual_functions(), const LstmPeepholes& p = {});

/// The new state h' of a GRU. `candidate` gives the sum of gate a from r (after the gate function).
Variable gru_step(const Variable& r, const Variable& z, const CellFunction& candidate,
                  const Variable& h, const CellFunctions& s = usual_functions());

}  // namespace catena
