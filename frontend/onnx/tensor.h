#pragma once

#include <optional>
#include <string>

#include "runtime/core/array/array.h"
#include "runtime/file/limits.h"

namespace onnx {
class TensorProto;
}

namespace catena::onnx {

/// Converts a dtype to TensorProto.DataType, and back (none if Catena has no such dtype).
int to_onnx(Dtype dtype);
std::optional<Dtype> from_onnx(int type);
/// The dtype of an ONNX type; UnsupportedError naming the type and `what`, which has it.
Dtype dtype_from_onnx(int type, const std::string& what);

/// Sets name, type, sizes and elements.
void write_tensor(const Array& array, const std::string& name, ::onnx::TensorProto& tensor);
/// The files that a model's tensors may name.
struct ModelFiles {
    std::string folder;
    /// A budget that counts all elements read from these files, if it is given.
    FileBudget* budget = nullptr;
};
/// Reads a tensor whose elements are in it or in a file of the folder. FileError when their number
/// does not match the sizes.
Array read_tensor(const ::onnx::TensorProto& tensor, const ModelFiles& files);

}  // namespace catena::onnx
