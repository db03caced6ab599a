#include "runtime/ops/rnn/cell_steps.h"

#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/activation/activation.h"

namespace catena {

const CellFunctions& usual_functions() {
    static const CellFunction logistic = [](const Variable& x) { return sigmoid(x); },
                              hyperbolic = [](const Variable& x) { return tanh(x); };
    static const CellFunctions functions{logistic, hyperbolic, hyperbolic};
    return functions;
}

LstmStep lstm_step(const LstmSums& sums, const Variable& c, const CellFunctions& s,
                   const LstmPeepholes& p) {
    const auto seen = [](const Variable& sum, const Variable& factor, const Variable& cell) {
        return factor.defined() ? sum + factor * cell : sum;
    };
    const Variable i = s.gate(seen(sums.i, p.i, c));
    const Variable f = sums.f.defined() ? s.gate(seen(sums.f, p.f, c)) : 1 - i;
    const Variable next = f * c + i * s.state(sums.a);
    return {s.gate(seen(sums.o, p.o, next)) * s.output(next), next};
}

Variable gru_step(const Variable& r, const Variable& z, const CellFunction& candidate,
                  const Variable& h, const CellFunctions& s) {
    const Variable update = s.gate(z), reset = s.gate(r);
    return (1 - update) * s.state(candidate(reset)) + update * h;
}

}  // namespace catena
