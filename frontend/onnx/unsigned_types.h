#pragma once

#include <optional>
#include <string>

#include "runtime/graph/variable/variable.h"

namespace onnx {
class GraphProto;
class TensorProto;
}  // namespace onnx

namespace catena::onnx {

// Catena has no unsigned integers of 16 to 64 bits. A model's are held in the next larger signed
// type, UINT64 in int64.

/// The dtype that holds the elements of an unsigned ONNX type; none for other types.
std::optional<Dtype> held_as(int type);
/// Reads a tensor of an unsigned ONNX type. FileError when it has another number of elements than
/// `shape`; UnsupportedError for elements that do not fit, or are in a file beside the model.
Array read_unsigned(const ::onnx::TensorProto& tensor, const Shape& shape);
/// x modulo 2^16 or 2^32, as a cast to UINT16 or UINT32 gives it. UINT64 is unchanged, held as
/// int64.
Variable wrapped(const Variable& x, int type);

/// Changes additions, subtractions and products of unsigned types so that they are exact and wrap
/// around. UnsupportedError for operators whose results would differ in the larger type. The nodes
/// must be in order.
void prepare_unsigned(::onnx::GraphProto& graph, const std::string& path);

}  // namespace catena::onnx
