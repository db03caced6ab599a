#pragma once

#include <cstdint>

#include "runtime/cpu/convolution/way/way.h"

namespace catena {

/// Runs a float32 convolution or one of its gradients (FloatConvolution) with what this thread
/// prepared at its first call of the same direction, shapes, strides, steps and number of threads,
/// and with a bias or without. For eager calls, where choosing a way and making oneDNN's memory
/// objects takes longer than a small convolution. The epilogue is at most a bias.
void run_repeated_convolution(const ConvolutionTask& task);

/// The number of convolutions that this thread prepared so far; it does not grow by calls that were
/// prepared before, unless so many others came between that they were dropped.
int64_t prepared_convolution_count();

}  // namespace catena
