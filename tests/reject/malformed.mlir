// Texts and programs that tests/ir/verifier.mlir does not have: numbers and regions that contradict the operation.
// RUN: catena-opt %s -split-input-file -verify-diagnostics

func.func @scalar_index() -> f64 {
  // expected-error @+1 {{index must not be negative, is -1}}
  %0 = catena.scalar -1
  return %0 : f64
}

// -----

func.func @number_of_inputs(%x: tensor<8xf32>) {
  // expected-error @+1 {{"select_item" takes 2 tensors, got 1}}
  %0 = catena.call "select_item"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @number_of_results(%x: tensor<8xf32>) {
  // expected-error @+1 {{"concat" gives 1 results, not 2}}
  %0:2 = catena.concat "concat"(%x) {axis = 0} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @reduce_dtype(%x: tensor<8x10xf32>) {
  // expected-error @+1 {{"sum" gives float32[8,1], not float64[8,1]}}
  %0 = catena.reduce "sum"(%x) sum over [1] : tensor<8x10xf32> -> tensor<8x1xf64>
  return
}

// -----

func.func @reshape_dtype(%x: tensor<8x10xf32>) {
  // expected-error @+1 {{gives the elements it takes, so the result must be 'f32' as the input, not 'f64'}}
  %0 = catena.reshape "reshape"(%x) : tensor<8x10xf32> -> tensor<80xf64>
  return
}

// -----

func.func @slice_rank(%x: tensor<8x10xf32>) {
  // expected-error @+1 {{begin, step and the result have the input's rank 2}}
  %0 = catena.slice "slice"(%x) from [7] step [1] : tensor<8x10xf32> -> tensor<1xf32>
  return
}

// -----

func.func @map_without_arguments(%x: tensor<8xf32>) {
  // expected-error @+1 {{region needs one argument per input and scalar: 1, has 0}}
  %0 = catena.map "f"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
    %c = arith.constant 1.0 : f32
    catena.yield %c : f32
  }
  return
}

// -----

func.func @map_yields_too_much(%x: tensor<8xf32>) {
  // expected-error @+1 {{region yields 2 values for 1 results}}
  %0 = catena.map "f"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    catena.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @map_results_of_two_shapes(%x: tensor<8xf32>) {
  // expected-error @+1 {{gives shape [8], not [1]}}
  %0:2 = catena.map "f"(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<1xf32>) {
  ^bb0(%a: f32):
    catena.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @group_arguments(%x: tensor<8xf32>) {
  // expected-error @+1 {{region arguments must mirror the operands}}
  %0 = catena.group "f"(%x) domain [8] reduced [] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<1xf32>):
    %1 = catena.map "g"(%a) : (tensor<1xf32>) -> tensor<8xf32> {
    ^bb0(%p: f32):
      catena.yield %p : f32
    }
    catena.yield %1 : tensor<8xf32>
  }
  return
}

// -----

func.func @group_results(%x: tensor<8xf32>) {
  // expected-error @+1 {{region must yield the results' types}}
  %0 = catena.group "f"(%x) domain [8] reduced [] : (tensor<8xf32>) -> tensor<1xf32> {
  ^bb0(%a: tensor<8xf32>):
    catena.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @group_reduces_what_it_does_not_have(%x: tensor<8xf32>) {
  // expected-error @+1 {{reduced dimensions must be ascending and within the domain, got 1}}
  %0 = catena.group "f"(%x) domain [8] reduced [1] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    catena.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @group_reshapes(%x: tensor<8x1xf32>) {
  %0 = catena.group "f"(%x) domain [8, 8] reduced [] : (tensor<8x1xf32>) -> tensor<1x8xf32> {
  ^bb0(%a: tensor<8x1xf32>):
    // expected-error @+1 {{inside a group may only add or drop leading dimensions of size 1}}
    %1 = catena.reshape "reshape"(%a) : tensor<8x1xf32> -> tensor<1x8xf32>
    catena.yield %1 : tensor<1x8xf32>
  }
  return
}

// -----

func.func @no_kind_of_reduction(%x: tensor<8xf32>) {
  // expected-error @+2 {{expected one of [sum, product, maximum, minimum] for how a reduction combines, got: mean}}
  // expected-error @+1 {{failed to parse CombineAttr}}
  %0 = catena.reduce "sum"(%x) mean over [0] : tensor<8xf32> -> tensor<1xf32>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = catena.reshape "reshape"(%x) : tensor<*xf32> -> tensor<8xf32>
  return
}

// -----

func.func @sizes_are_known(%x: tensor<?xf32>) {
  // expected-error @+1 {{must be}}
  %0 = catena.reshape "reshape"(%x) : tensor<?xf32> -> tensor<8xf32>
  return
}

// -----

func.func @element_type(%x: tensor<8xcomplex<f32>>) {
  // expected-error @+1 {{must be}}
  %0 = catena.reshape "reshape"(%x) : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  return
}
