#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// The kernel of the discrete Fourier transform along the last axis, y_k = sum of x_j exp(-2 pi i j
/// k / n); inputs and outputs are real and imaginary parts. Computed in float64; O(n log n) for
/// every n.
void run_fft(const KernelCall& call);

}  // namespace catena
