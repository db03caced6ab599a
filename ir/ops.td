// The operations, in the order: values from outside, fusable, structural, library calls, effects,
// and what passes make.
#ifndef CATENA_OPS_TD
#define CATENA_OPS_TD

include "ir/dialect.td"
include "ir/interfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CatenaTensor : StaticShapeTensorOf<[I1, I8, I16, I32, I64, UI8, F16, BF16, F32, F64]>;

def NamedResults : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;
def NamedArguments : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>;

class CatenaOp<string mnemonic, list<Trait> traits = []> : Op<CatenaDialect, mnemonic, traits>;

defvar named_by_function = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn set_name) {
      if (getOperation()->getNumResults() != 0) set_name(getOperation()->getResult(0), getFunction());
    }
  }];

/// Stands for a function of the user's, under whose name its results are printed: %relu, %matmul_3.
class FunctionOp<string mnemonic, list<Trait> traits = []>
    : CatenaOp<mnemonic, !listconcat([Pure, NamedResults], traits)> {
  let extraClassDefinition = named_by_function;
}

//---- values from outside

def ScalarOp : CatenaOp<"scalar", [Pure, NamedResults]> {
  let summary = "a run-time number";
  let description = [{
    The run-time argument `index` of the program (`Trace::scalars[index]`): a learning rate, a loss
    scale, a constant of the user's code. Never a compile-time constant. `seen` is the value while
    recording, for the reader only.

    ```mlir
    %alpha = catena.scalar 2 "alpha" seen 1.000000e-03
    ```
  }];
  let arguments = (ins I64Attr:$index, OptionalAttr<StrAttr>:$label, OptionalAttr<F64Attr>:$seen);
  let results = (outs F64:$result);
  let assemblyFormat = "$index ($label^)? (`seen` $seen^)? attr-dict";
  let hasVerifier = 1;
}

//---- fusable operations

def MapOp : FunctionOp<"map", [IsolatedFromAbove, AttrSizedOperandSegments, SingleBlock,
                               NamedArguments]> {
  let summary = "a scalar function at every index";
  let description = [{
    Inputs broadcast against the results' one shape as in NumPy (aligned at the last dimension). The
    region is the function: its arguments are the elements of the inputs and then the scalars,
    all in the compute type (`f32` for the 16- and 32-bit floats, `f64`, or `i64` for all
    integers and bool); conversion from the stored type when loading and to it when storing is implied.
    Bool results yield `i1`. Only `arith` and `math` operations are allowed inside.

    ```mlir
    %leaky_relu = catena.map "leaky_relu"(%x with %slope) : (tensor<8x10xf32>) -> tensor<8x10xf32> {
    ^bb0(%x0: f32, %k0: f32):
      %zero = arith.constant 0.0 : f32
      %positive = arith.cmpf ogt, %x0, %zero : f32
      %scaled = arith.mulf %x0, %k0 : f32
      %y = arith.select %positive, %x0, %scaled : f32
      catena.yield %y : f32
    }
    ```
  }];
  let arguments = (ins StrAttr:$function, Variadic<CatenaTensor>:$inputs, Variadic<F64>:$scalars);
  let results = (outs Variadic<CatenaTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $function `` custom<CallOperands>($inputs, $scalars) attr-dict-with-keyword `:`
    custom<CallTypes>(type($inputs), type($results)) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The one shape of all results.
    ::llvm::ArrayRef<int64_t> shape();
    /// f32, f64 or i64: the type of the region's arguments and arithmetic.
    ::mlir::Type compute_type();
    YieldOp yield();
  }];
}

def CombineEnum : I32Enum<"Combine", "how a reduction combines", [
    I32EnumCase<"sum", 0>, I32EnumCase<"product", 1>,
    I32EnumCase<"maximum", 2>, I32EnumCase<"minimum", 3>]> {
  let cppNamespace = "::catena::ir";
}
def CombineAttr : EnumAttr<CatenaDialect, CombineEnum, "combine"> {
  let assemblyFormat = "$value";
}

def ReduceOp : FunctionOp<"reduce"> {
  let summary = "combines all elements along some dimensions";
  let description = [{
    Reduced dimensions stay, with size 1. Computes in the compute type of the result's element
    type; `maximum` and `minimum` propagate NaN. An empty reduction gives the combination's neutral element.

    ```mlir
    %sum = catena.reduce "sum"(%x) sum over [1] : tensor<8x10xf32> -> tensor<8x1xf32>
    ```
  }];
  let arguments = (ins StrAttr:$function, CatenaTensor:$input, CombineAttr:$combine,
                       DenseI64ArrayAttr:$axes);
  let results = (outs CatenaTensor:$result);
  let assemblyFormat = [{
    $function `(` $input `)` `` $combine `over` $axes attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//---- structural operations: views of the same elements

class StructuralOp<string mnemonic> : FunctionOp<mnemonic> {
  let results = (outs CatenaTensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def ReshapeOp : StructuralOp<"reshape"> {
  let summary = "the same elements in row-major order, in another shape";
  let arguments = (ins StrAttr:$function, CatenaTensor:$input);
  let assemblyFormat = "$function `(` $input `)` attr-dict `:` type($input) `->` type($result)";
}

def TransposeOp : StructuralOp<"transpose"> {
  let summary = "permutes dimensions";
  let description = "Dimension `i` of the result is dimension `axes[i]` of the input.";
  let arguments = (ins StrAttr:$function, CatenaTensor:$input, DenseI64ArrayAttr:$axes);
  let assemblyFormat = [{
    $function `(` $input `)` `by` $axes attr-dict `:` type($input) `->` type($result)
  }];
}

def BroadcastOp : StructuralOp<"broadcast"> {
  let summary = "repeats along new dimensions and those of size 1";
  let arguments = (ins StrAttr:$function, CatenaTensor:$input);
  let assemblyFormat = "$function `(` $input `)` attr-dict `:` type($input) `->` type($result)";
}

def SliceOp : StructuralOp<"slice"> {
  let summary = "elements begin, begin + step, ... of each dimension";
  let description = [{
    The result's shape says how many. A negative step runs backwards.

    ```mlir
    %get_item = catena.slice "get_item"(%x) from [0, 9] step [1, -1]
        : tensor<8x10xf32> -> tensor<8x10xf32>
    ```
  }];
  let arguments = (ins StrAttr:$function, CatenaTensor:$input, DenseI64ArrayAttr:$begin,
                       DenseI64ArrayAttr:$step);
  let assemblyFormat = [{
    $function `(` $input `)` `from` $begin `step` $step attr-dict `:` type($input) `->` type($result)
  }];
}

//---- library calls

class LibraryOp<string mnemonic, string what>
    : FunctionOp<mnemonic, [AttrSizedOperandSegments, LibraryCallInterface]> {
  let summary = what;
  let arguments = (ins StrAttr:$function, Variadic<CatenaTensor>:$inputs, Variadic<F64>:$scalars,
                       DefaultValuedAttr<DictionaryAttr, "{}">:$call_attributes);
  let results = (outs Variadic<CatenaTensor>:$results);
  let assemblyFormat = [{
    $function `` custom<CallOperands>($inputs, $scalars) `` custom<CallAttributes>($call_attributes)
    attr-dict-with-keyword `:` custom<CallTypes>(type($inputs), type($results))
  }];
  let hasVerifier = 1;
  let extraClassDefinition = named_by_function # [{
    ::mlir::LogicalResult $cppClass::verify() { return verify_library_call(*this); }
  }];
}

def ContractOp : LibraryOp<"contract", "a sum of products over shared indices: the matmul family"> {
  let description = [{
    ```mlir
    %matmul = catena.contract "matmul"(%x, %W) {transpose_b = true}
        : (tensor<8x784xf32>, tensor<10x784xf32>) -> tensor<8x10xf32>
    ```
  }];
}
def WindowOp : LibraryOp<"window", "a function of a moving window: convolution, pooling">;
def ScanOp : LibraryOp<"scan", "a running combination along an axis">;
def PadOp : LibraryOp<"pad", "adds elements at the borders"> {
  let hasFolder = 1;
}
def ConcatOp : LibraryOp<"concat", "concatenates tensors"> {
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The dimension along which the inputs follow each other.
    int axis();
  }];
}
def GatherOp : LibraryOp<"gather", "reads at indices that are data">;
def ScatterOp : LibraryOp<"scatter", "writes or adds at indices that are data">;
def SortOp : LibraryOp<"sort", "sorts, or computes the order, along an axis">;
def RandomOp : LibraryOp<"random", "random numbers, a pure function of key and counter">;
def CallOp : LibraryOp<"call", "anything else: always correct, never fused">;

//---- effects

def AssignOp : CatenaOp<"assign", [SameTypeOperands, MemoryEffects<[MemWrite]>]> {
  let summary = "assigns a state at the end of the program";
  let description = [{
    `state` is a function argument of role "state", assigned at most once. Readers of the argument see the old
    content wherever they stand.
  }];
  let arguments = (ins CatenaTensor:$state, CatenaTensor:$value);
  let assemblyFormat = "$state `,` $value attr-dict `:` type($state)";
  let hasVerifier = 1;
}

//---- made by passes

def GroupOp : CatenaOp<"group", [Pure, IsolatedFromAbove, AttrSizedOperandSegments, SingleBlock,
                                 NamedResults, NamedArguments]> {
  let summary = "fused operations: one pass over one iteration domain";
  let description = [{
    Holds `map`, `reduce` and such `reshape`s that only add or drop leading dimensions of size 1.
    The region's arguments mirror the operands, tensors first, then scalars. What holds of every group:

    1. Every value inside has, in each dimension (aligned at the last, missing ones count as 1), the size of
       `domain` or 1.
    2. Every reduction combines along the same dimensions of the domain, `reduced`; its operand
       spans the domain. (Dimensions of size 1 are not counted.) In a group that runs row by row (4), a
       reduction of *columns* may combine exactly the other dimensions; nothing inside reads it.
    3. So a computed value is *full* (the domain's shape), *reduced* (the domain with 1 in every
       reduced dimension), or smaller by broadcasting.
    4. A reduced value is read by a full one only where the reduced dimensions are the last ones:
       such a group runs row by row. Other reductions end the sweep.

    ```mlir
    %group = catena.group "sub_exp_sum"(%x, %max) domain [8, 10] reduced [1]
        : (tensor<8x10xf32>, tensor<8x1xf32>) -> tensor<8x1xf32> { ... }
    ```
  }];
  let arguments = (ins StrAttr:$label, Variadic<CatenaTensor>:$inputs, Variadic<F64>:$scalars,
                       DenseI64ArrayAttr:$domain, DenseI64ArrayAttr:$reduced);
  let results = (outs Variadic<CatenaTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $label `` custom<CallOperands>($inputs, $scalars) `domain` $domain `reduced` $reduced
    attr-dict-with-keyword `:` custom<CallTypes>(type($inputs), type($results)) $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    YieldOp yield();
    /// True when the reduced dimensions are the domain's last ones (or of size 1).
    bool reduces_rows();
  }];
}

def YieldOp : CatenaOp<"yield", [Pure, Terminator, ReturnLike,
                                 ParentOneOf<["MapOp", "GroupOp"]>]> {
  let summary = "the results of a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
