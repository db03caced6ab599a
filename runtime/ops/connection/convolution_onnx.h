#pragma once

#include "runtime/ops/onnx/onnx.h"

namespace catena {

/// The op `convolution`, with a bias or not, as ONNX's Conv.
std::vector<int> write_convolution(OnnxCall& call);
/// The op `convolution_data` as ConvTranspose.
std::vector<int> write_deconvolution(OnnxCall& call);

}  // namespace catena
