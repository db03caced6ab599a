#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace catena::ir {

// The custom<...> directives of ops.td.

/// Parses the operands of a call: "(%x, %y with %scalar)"; `with` only where there are scalars,
/// which are all f64.
mlir::ParseResult parseCallOperands(
    mlir::OpAsmParser& parser, llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>& inputs,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>& scalars);
void printCallOperands(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::OperandRange inputs,
                       mlir::OperandRange scalars);

/// Parses the types of a call: "(T, T) -> T" or "(T) -> (T, T)".
mlir::ParseResult parseCallTypes(mlir::OpAsmParser& parser,
                                 llvm::SmallVectorImpl<mlir::Type>& inputs,
                                 llvm::SmallVectorImpl<mlir::Type>& results);
void printCallTypes(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::TypeRange inputs,
                    mlir::TypeRange results);

/// Parses the attributes of a call: "{axis = 1, stride = [2, 2], mode = "full"}", nothing when
/// empty. Integers are i64, numbers f64, lists dense arrays of i64, as in a runtime Attribute.
mlir::ParseResult parseCallAttributes(mlir::OpAsmParser& parser, mlir::DictionaryAttr& attributes);
void printCallAttributes(mlir::OpAsmPrinter& printer, mlir::Operation*,
                         mlir::DictionaryAttr attributes);

}  // namespace catena::ir
