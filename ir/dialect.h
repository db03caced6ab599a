#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/dialect.h.inc"
#include "ir/enums.h.inc"
#include "ir/interfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/attributes.h.inc"
#define GET_OP_CLASSES
#include "ir/ops.h.inc"

namespace catena::ir {

/// The attribute of a program's argument with the name of its Trace::Role.
inline constexpr llvm::StringLiteral role_attribute = "catena.role";
/// The attribute of a program's argument with its name or that of its state: "x", "/l1/W".
inline constexpr llvm::StringLiteral name_attribute = "catena.name";

}  // namespace catena::ir
