#pragma once

#include <optional>
#include <string>

#include "runtime/core/array.h"

namespace onnx {
class TensorProto;
}

namespace catena::onnx {

/// The numbers of TensorProto.DataType; none where Catena has no such dtype.
int to_onnx(Dtype dtype);
std::optional<Dtype> from_onnx(int type);
/// from_onnx, or UnsupportedError naming the type and `what` is of it.
Dtype dtype_from_onnx(int type, const std::string& what);

/// Name, type, sizes and elements in place.
void write_tensor(const Array& array, const std::string& name, ::onnx::TensorProto& tensor);
/// Elements in place or in a file of `folder`. FileError when they are not as many as the sizes
/// say.
Array read_tensor(const ::onnx::TensorProto& tensor, const std::string& folder);

}  // namespace catena::onnx
