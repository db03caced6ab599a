#pragma once

#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "codegen/cpu/finish.h"

namespace catena::codegen::cpu {

/// Appends `func.func @name(%arguments: !llvm.ptr, %begin: i64, %end: i64)` that runs units [begin,
/// end) of the collapsed `kernel`, in scf, arith, math, vector and pointer operations.
mlir::func::FuncOp emit_kernel(mlir::OpBuilder& builder, mlir::Location loc,
                               const std::string& name, const Kernel& kernel,
                               const KernelOptions& options, const Processor& processor);

}  // namespace catena::codegen::cpu
