#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// A complex array as two real ones of the same shape and dtype.
struct ComplexPair {
    Variable real, imag;
};

/// The discrete Fourier transform along the last axis: y_k = sum of x_j exp(-2 pi i j k / n). Any n
/// takes O(n log n); on devices it is a step of the host. ShapeError where the parts differ, or
/// have no axis or no element along it.
ComplexPair fft(const Operand& real, const Operand& imag);
/// That of a real array: the first n / 2 + 1, of which the others are the conjugates.
ComplexPair rfft(const Operand& x);
/// The inverse of fft, with the factor 1 / n.
ComplexPair ifft(const Operand& real, const Operand& imag);

}  // namespace catena
