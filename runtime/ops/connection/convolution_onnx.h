#pragma once

#include "runtime/ops/onnx/onnx.h"

namespace catena {

/// Writes the op `convolution`, with a bias or not, as ONNX's Conv.
std::vector<int> write_convolution(OnnxCall& call);
/// Writes the op `convolution_data` as ONNX's ConvTranspose.
std::vector<int> write_deconvolution(OnnxCall& call);

}  // namespace catena
