// What the operations of the dialect have in common.
#ifndef CATENA_INTERFACES_TD
#define CATENA_INTERFACES_TD

include "mlir/IR/OpBase.td"

def LibraryCallInterface : OpInterface<"LibraryCall"> {
  let cppNamespace = "::catena::ir";
  let description = [{
    An operation that runs as a call of its `OpDef`'s kernel: found by name, given the inputs, the
    attributes and the scalars as eager execution gives them.
  }];
  let methods = [
    InterfaceMethod<"Name of the OpDef.", "::llvm::StringRef", "getFunction">,
    InterfaceMethod<"Tensor operands.", "::mlir::OperandRange", "getInputs">,
    InterfaceMethod<"Run-time numbers, f64.", "::mlir::OperandRange", "getScalars">,
    InterfaceMethod<"Compile-time properties of the call.", "::mlir::DictionaryAttr",
                    "getCallAttributes">,
  ];
}

#endif
