#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// A complex array as two real ones of the same shape and dtype.
struct ComplexPair {
    Variable real, imag;
};

/// The discrete Fourier transform along the last axis: y_k = the sum of x_j * exp(-2 pi i j k / n)
/// over j, with real and imaginary parts as two arrays. Any n takes O(n log n); the host computes
/// it in float64. Floats only; ShapeError where the parts differ in shape, or have no axis or no
/// element along it. Chainer's function.
/// - real: The real part.
/// - imag: The imaginary part, of the same shape.
ComplexPair fft(const Operand& real, const Operand& imag);
/// The discrete Fourier transform of a real array: its first n / 2 + 1 numbers, of which the others
/// are the conjugates.
ComplexPair rfft(const Operand& x);
/// The inverse of fft: y_k = the sum of x_j * exp(2 pi i j k / n) over j, divided by n, along the
/// last axis.
/// - real: The real part.
/// - imag: The imaginary part, of the same shape.
ComplexPair ifft(const Operand& real, const Operand& imag);

}  // namespace catena
