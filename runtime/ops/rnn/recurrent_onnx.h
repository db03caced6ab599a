#pragma once

#include "runtime/cpu/recurrent/recurrent_cells.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {

/// Writes a recurrent layer as ONNX's RNN, GRU or LSTM. Its sequences are padded, as these take
/// them, and the products with the input's weights have been computed, so that ONNX's are the
/// identity: correct, but more arithmetic than in Catena. None for relu.
std::vector<int> write_recurrent(RecurrentCell cell, OnnxCall& call);

}  // namespace catena
