// The catena dialect: a recorded program as pure operations on tensors.
#ifndef CATENA_DIALECT_TD
#define CATENA_DIALECT_TD

include "mlir/IR/OpBase.td"

def CatenaDialect : Dialect {
  let name = "catena";
  let cppNamespace = "::catena::ir";
  let summary = "Recorded array programs";
  let description = [{
    A program is one `func.func` whose arguments carry `catena.role` ("argument", "state",
    "gradient" or "captured") and `catena.name`, whose results are the region's outputs, and whose
    body is a list of operations on tensors. Operations have a *kind* and the name of the user's
    function; the compiler uses the name only to find
    the library kernel of an operation that is not fused, and to print.

    Element types: `i1` for bool, `iN` for the signed integers, `ui8`, `f16`, `bf16`, `f32`, `f64`.
    Numbers that may change from call to call are values of type `f64` made by `catena.scalar`.
    Everything but `catena.assign` is pure. Shapes are static: other sizes are another program
    in the same structure, whose machine code is shared.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
}

#endif
