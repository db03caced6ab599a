#pragma once

#include <functional>

#include "runtime/graph/variable.h"

namespace catena {

// One step of the cells of runtime/cpu/recurrent/recurrent_cells.h in terms of other operations.
// ONNX has the same cells with other functions.

using CellFunction = std::function<Variable(const Variable&)>;
struct CellFunctions {
    CellFunction gate;    ///< Of the gates; the sigmoid.
    CellFunction state;   ///< Of what enters the state; tanh.
    CellFunction output;  ///< Of c'; tanh.
};
const CellFunctions& usual_functions();

/// The sums x W^T + h R^T + b of lstm's gates. An undefined f is 1 - i after their function.
struct LstmSums {
    Variable i, f, a, o;
};
/// Factors of c (of c' for o) that are added to the sums, where defined.
struct LstmPeepholes {
    Variable i, f, o;
};
struct LstmStep {
    Variable h, c;
};
LstmStep lstm_step(const LstmSums& sums, const Variable& c,
                   const CellFunctions& s = usual_functions(), const LstmPeepholes& p = {});

/// gru's h'. `candidate` gives a's sum from r after its function.
Variable gru_step(const Variable& r, const Variable& z, const CellFunction& candidate,
                  const Variable& h, const CellFunctions& s = usual_functions());

}  // namespace catena
