// Every pass of catena to catena, in the order of the pipeline (pipeline.cpp says why that order).
//
// One pass is one definition here, one .cpp of its name, and one program of its name in tests/passes. A pass
// leaves valid IR or fails; where it declines to do something it says why, as a note for explain().
#ifndef CATENA_PASSES_TD
#define CATENA_PASSES_TD

include "mlir/Pass/PassBase.td"

def Fuse : Pass<"catena-fuse", "::mlir::func::FuncOp"> {
  let summary = "put maps and reductions into groups";
  let dependentDialects = ["::catena::ir::CatenaDialect"];
}

#endif
