#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "runtime/core/array/shape.h"
#include "runtime/graph/op/attributes.h"

namespace catena::ir {

/// The MLIR type of elements of a dtype. bool: i1, intN: iN, uint8: ui8, float16: f16, bfloat16:
/// bf16, float32: f32, float64: f64.
mlir::Type element_type(Dtype dtype, mlir::MLIRContext* context);
/// The dtype of an MLIR element type, the inverse of element_type().
Dtype dtype_of(mlir::Type element_type);

mlir::RankedTensorType tensor_type(const Type& type, mlir::MLIRContext* context);
mlir::RankedTensorType tensor_type_of(mlir::Value tensor);
Type type_of(mlir::Type tensor_type);
Type type_of(mlir::Value tensor);
Shape shape_of(mlir::Value tensor);

/// The attributes as an MLIR dictionary. bool: BoolAttr, int64: I64, double: F64, string:
/// StringAttr, Dims: DenseI64ArrayAttr.
mlir::DictionaryAttr to_dictionary(const Attributes& attributes, mlir::MLIRContext* context);
/// The attributes of an MLIR dictionary, the inverse of to_dictionary(). Entries of other kinds
/// fail: their name is returned in `bad`.
mlir::FailureOr<Attributes> to_attributes(mlir::DictionaryAttr dictionary,
                                          std::string* bad = nullptr);

}  // namespace catena::ir
