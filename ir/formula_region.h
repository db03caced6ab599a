#pragma once

#include "mlir/IR/Builders.h"

#include "runtime/core/dtype/dtype.h"
#include "runtime/scalar/formula.h"

namespace catena::ir {

/// Fills the empty `region` of a catena.map with `formula`, computed in `compute`. `results` are
/// the stored types: a bool gets i1, everything else the computed type. CompileError when the
/// formula of `function` needs an intrinsic that does not exist on integers.
void build_formula_region(mlir::Region& region, mlir::Location location, llvm::StringRef function,
                          const Formula& formula, Dtype compute, llvm::ArrayRef<Dtype> results);

}  // namespace catena::ir
