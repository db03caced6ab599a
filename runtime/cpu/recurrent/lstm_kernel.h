#pragma once

#include "runtime/core/array/array.h"

namespace catena {

// One step of LSTM with the gates a, i, f, o of a unit side by side: x is [n, 4 units], c_prev
// [batch, units] with batch >= n. Arrays are contiguous, of one dtype, float32 or float64.

/// Computes an LSTM step: c = tanh(a) sigmoid(i) + c_prev sigmoid(f), rows past n copied; h =
/// sigmoid(o) tanh(c).
void lstm_forward(const Array& c_prev, const Array& x, const Array& c, const Array& h);
void lstm_backward(const Array& c_prev, const Array& x, const Array& gc, const Array& gh,
                   const Array& gc_prev, const Array& gx);

}  // namespace catena
