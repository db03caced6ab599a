#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/Operation.h"

#include "runtime/graph/op/op.h"

namespace catena::ir {

class LibraryCall;

/// Calls the type rule of the registered op `function` and reports at `op` its error, or where its
/// result differs from `outputs`. An unknown function is an error too.
mlir::LogicalResult verify_type_rule(mlir::Operation* op, llvm::StringRef function,
                                     llvm::ArrayRef<Type> inputs, const Attributes& attributes,
                                     llvm::ArrayRef<Type> outputs);
mlir::LogicalResult verify_library_call(LibraryCall call);

}  // namespace catena::ir
