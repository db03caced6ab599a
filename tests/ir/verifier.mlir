// What is not a program, and the words it is refused with.
// RUN: catena-opt %s -split-input-file -verify-diagnostics

func.func @unknown_function(%x: tensor<8xf32>) {
  // expected-error @+1 {{names the unknown function "no_such_op"}}
  %0 = catena.call "no_such_op"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @type_rule(%x: tensor<8xf32>, %y: tensor<8xi32>) {
  // expected-error @+1 {{dtypes must be equal}}
  %0 = catena.concat "concat"(%x, %y) {axis = 0} : (tensor<8xf32>, tensor<8xi32>) -> tensor<16xf32>
  return
}

// -----

func.func @type_rule_result(%x: tensor<8xf32>) {
  // expected-error @+1 {{"concat" gives float32[16], not float32[8]}}
  %0 = catena.concat "concat"(%x, %x) {axis = 0} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @attribute_kind(%x: tensor<8xf32>) {
  // expected-error @+1 {{attribute 'axis' must be a bool, i64, f64, string or list of at most 8 integers}}
  %0 = catena.concat "concat"(%x) {axis = 0 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @reduce_shape(%x: tensor<8x10xf32>) {
  // expected-error @+1 {{gives shape [8,1], not [8]}}
  %0 = catena.reduce "sum"(%x) sum over [1] : tensor<8x10xf32> -> tensor<8xf32>
  return
}

// -----

func.func @reduce_axes(%x: tensor<8x10xf32>) {
  // expected-error @+1 {{axes must be ascending and in [0, 2), got 2}}
  %0 = catena.reduce "sum"(%x) sum over [2] : tensor<8x10xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @reshape_count(%x: tensor<8xf32>) {
  // expected-error @+1 {{keeps the number of elements: [8] has 8, [3,3] has 9}}
  %0 = catena.reshape "reshape"(%x) : tensor<8xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_axes(%x: tensor<8x10xf32>) {
  // expected-error @+1 {{axes must be a permutation of the input's 2 dimensions}}
  %0 = catena.transpose "transpose"(%x) by [1, 1] : tensor<8x10xf32> -> tensor<10x10xf32>
  return
}

// -----

func.func @broadcast_shape(%x: tensor<8xf32>) {
  // expected-error @+1 {{cannot repeat [8] to [8,10]}}
  %0 = catena.broadcast "broadcast_to"(%x) : tensor<8xf32> -> tensor<8x10xf32>
  return
}

// -----

func.func @slice_bounds(%x: tensor<8xf32>) {
  // expected-error @+1 {{reads elements 7 to -1 of dimension 0, which has 8}}
  %0 = catena.slice "slice"(%x) from [7] step [-2] : tensor<8xf32> -> tensor<5xf32>
  return
}

// -----

func.func @map_broadcast(%x: tensor<8xf32>) {
  // expected-error @+1 {{input of shape [8] does not broadcast to [8,10]}}
  %0 = catena.map "f"(%x) : (tensor<8xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32):
    catena.yield %a : f32
  }
  return
}

// -----

func.func @map_arguments(%x: tensor<8xf32>) {
  // expected-error @+1 {{region arguments must all be f32, f64 or i64, got 'f16'}}
  %0 = catena.map "f"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f16):
    catena.yield %a : f16
  }
  return
}

// -----

func.func @map_bool(%x: tensor<8xf32>) {
  // expected-error @+1 {{must yield i1 for a result of type 'tensor<8xi1>', not 'f32'}}
  %0 = catena.map "f"(%x) : (tensor<8xf32>) -> tensor<8xi1> {
  ^bb0(%a: f32):
    catena.yield %a : f32
  }
  return
}

// -----

func.func @map_holds_scalars_only(%x: tensor<8xf32>) {
  // expected-error @+1 {{region may hold arith and math operations only, not 'catena.scalar'}}
  %0 = catena.map "f"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    %s = catena.scalar 0
    catena.yield %a : f32
  }
  return
}

// -----

func.func @assign_target(%x: tensor<8xf32> {catena.role = "argument"}) {
  // expected-error @+1 {{target must be an argument of the program with catena.role = "state"}}
  catena.assign %x, %x : tensor<8xf32>
  return
}

// -----

func.func @assign_twice(%x: tensor<8xf32> {catena.role = "state"}) {
  // expected-error @+1 {{assigns a state a second time}}
  catena.assign %x, %x : tensor<8xf32>
  catena.assign %x, %x : tensor<8xf32>
  return
}

// -----

func.func @group_domain(%x: tensor<8x10xf32>, %y: tensor<8xf32>) {
  // expected-error @+1 {{value of shape [8] does not fit the domain [8,10]}}
  %0 = catena.group "f"(%x, %y) domain [8, 10] reduced [] : (tensor<8x10xf32>, tensor<8xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: tensor<8x10xf32>, %b: tensor<8xf32>):
    catena.yield %a : tensor<8x10xf32>
  }
  return
}

// -----

func.func @group_reductions_agree(%x: tensor<8x10xf32>) {
  %0 = catena.group "f"(%x) domain [8, 10] reduced [1] : (tensor<8x10xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: tensor<8x10xf32>):
    // expected-error @+1 {{must reduce the group's dimensions; they differ in 0}}
    %1 = catena.reduce "sum"(%a) sum over [0, 1] : tensor<8x10xf32> -> tensor<1x1xf32>
    catena.yield %1 : tensor<1x1xf32>
  }
  return
}

// -----

func.func @group_columns_are_not_read(%x: tensor<8x10xf32>) {
  %0 = catena.group "f"(%x) domain [8, 10] reduced [1] : (tensor<8x10xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: tensor<8x10xf32>):
    // expected-error @+1 {{reduces columns, which end after the last row, and is read by 'catena.map' inside the group}}
    %1 = catena.reduce "sum"(%a) sum over [0] : tensor<8x10xf32> -> tensor<1x10xf32>
    %2 = catena.map "mul"(%a, %1) : (tensor<8x10xf32>, tensor<1x10xf32>) -> tensor<8x10xf32> {
    ^bb0(%p: f32, %q: f32):
      %r = arith.mulf %p, %q : f32
      catena.yield %r : f32
    }
    catena.yield %2 : tensor<8x10xf32>
  }
  return
}

// -----

func.func @group_reduces_the_domain(%x: tensor<8x10xf32>, %y: tensor<1x10xf32>) {
  %0 = catena.group "f"(%x, %y) domain [8, 10] reduced [1] : (tensor<8x10xf32>, tensor<1x10xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: tensor<8x10xf32>, %b: tensor<1x10xf32>):
    // expected-error @+1 {{inside a group must take the whole domain [8,10], not [1,10]}}
    %1 = catena.reduce "sum"(%b) sum over [1] : tensor<1x10xf32> -> tensor<1x1xf32>
    catena.yield %1 : tensor<1x1xf32>
  }
  return
}

// -----

func.func @group_reads_back_rows_only(%x: tensor<8x10xf32>) {
  %0 = catena.group "f"(%x) domain [8, 10] reduced [0] : (tensor<8x10xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: tensor<8x10xf32>):
    %1 = catena.reduce "sum"(%a) sum over [0] : tensor<8x10xf32> -> tensor<1x10xf32>
    // expected-error @+1 {{reads a reduced value over the domain, but the reduced dimensions are not the last}}
    %2 = catena.map "sub"(%a, %1) : (tensor<8x10xf32>, tensor<1x10xf32>) -> tensor<8x10xf32> {
    ^bb0(%p: f32, %q: f32):
      %3 = arith.subf %p, %q : f32
      catena.yield %3 : f32
    }
    catena.yield %2 : tensor<8x10xf32>
  }
  return
}

// -----

func.func @group_holds_fusable_operations(%x: tensor<8xf32>) {
  // expected-error @+1 {{may not hold 'catena.concat'}}
  %0 = catena.group "f"(%x) domain [8] reduced [] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %1 = catena.concat "concat"(%a) {axis = 0} : (tensor<8xf32>) -> tensor<8xf32>
    catena.yield %1 : tensor<8xf32>
  }
  return
}
