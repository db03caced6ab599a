// RUN: catena-opt %s --catena-fuse --catena-recompute | FileCheck %s

// What a normalization passes to its second sweep and to the backward pass follows from x and small values: nothing as large
// as x is stored but the result.
// CHECK-LABEL: @normalization
// CHECK: %[[SUM:.*]] = catena.group "sum"(%arg0) {{.*}} -> tensor<1x64x1xf32>
// CHECK: %[[SQUARES:.*]] = catena.group "{{.*}}"(%arg0, %[[SUM]]) {{.*}} -> tensor<1x64x1xf32>
// CHECK: %[[Y:.*]] = catena.group "{{.*}}"({{.*}}) domain [32, 64, 32] reduced [] : (tensor<1x64x1xf32>, tensor<32x64x32xf32>, tensor<1x64x1xf32>) -> tensor<32x64x32xf32>
// CHECK: return %[[Y]]
func.func @normalization(%x: tensor<32x64x32xf32>) -> tensor<32x64x32xf32> {
  %mean = catena.reduce "sum"(%x) sum over [0, 2] : tensor<32x64x32xf32> -> tensor<1x64x1xf32>
  %centred = catena.map "subtract"(%x, %mean) : (tensor<32x64x32xf32>, tensor<1x64x1xf32>) -> tensor<32x64x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.subf %a, %b : f32
    catena.yield %0 : f32
  }
  %square = catena.map "square"(%centred) : (tensor<32x64x32xf32>) -> tensor<32x64x32xf32> {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    catena.yield %0 : f32
  }
  %squares = catena.reduce "sum"(%square) sum over [0, 2] : tensor<32x64x32xf32> -> tensor<1x64x1xf32>
  %y = catena.map "multiply"(%centred, %squares) : (tensor<32x64x32xf32>, tensor<1x64x1xf32>) -> tensor<32x64x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    catena.yield %0 : f32
  }
  return %y : tensor<32x64x32xf32>
}

// exp costs more than to store it.
// CHECK-LABEL: @functions_are_stored
// CHECK: catena.group "exp_sum"(%arg0) {{.*}} -> (tensor<32x64x32xf32>, tensor<1x64x1xf32>)
func.func @functions_are_stored(%x: tensor<32x64x32xf32>) -> tensor<32x64x32xf32> {
  %e = catena.map "exp"(%x) : (tensor<32x64x32xf32>) -> tensor<32x64x32xf32> {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    catena.yield %0 : f32
  }
  %sum = catena.reduce "sum"(%e) sum over [0, 2] : tensor<32x64x32xf32> -> tensor<1x64x1xf32>
  %y = catena.map "divide"(%e, %sum) : (tensor<32x64x32xf32>, tensor<1x64x1xf32>) -> tensor<32x64x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.divf %a, %b : f32
    catena.yield %0 : f32
  }
  return %y : tensor<32x64x32xf32>
}

// Of two arrays as large as the sum, both would be read again; and what the function returns is stored anyway.
// CHECK-LABEL: @where_it_saves_nothing
// CHECK: catena.group "{{.*}}"(%arg0, %arg1) {{.*}} -> (tensor<32x64x32xf32>, tensor<1x64x1xf32>, tensor<32x64x32xf32>, tensor<1x64x1xf32>)
func.func @where_it_saves_nothing(%x: tensor<32x64x32xf32>, %z: tensor<32x64x32xf32>)
    -> (tensor<32x64x32xf32>, tensor<32x64x32xf32>, tensor<32x64x32xf32>) {
  %added = catena.map "add"(%x, %z) : (tensor<32x64x32xf32>, tensor<32x64x32xf32>) -> tensor<32x64x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    catena.yield %0 : f32
  }
  %sum = catena.reduce "sum"(%added) sum over [0, 2] : tensor<32x64x32xf32> -> tensor<1x64x1xf32>
  %y = catena.map "multiply"(%added, %sum) : (tensor<32x64x32xf32>, tensor<1x64x1xf32>) -> tensor<32x64x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    catena.yield %0 : f32
  }
  %twice = catena.map "twice"(%x) : (tensor<32x64x32xf32>) -> tensor<32x64x32xf32> {
  ^bb0(%a: f32):
    %0 = arith.addf %a, %a : f32
    catena.yield %0 : f32
  }
  %sum_of_twice = catena.reduce "sum"(%twice) sum over [0, 2] : tensor<32x64x32xf32> -> tensor<1x64x1xf32>
  %w = catena.map "multiply"(%twice, %sum_of_twice) : (tensor<32x64x32xf32>, tensor<1x64x1xf32>) -> tensor<32x64x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    catena.yield %0 : f32
  }
  return %y, %w, %twice : tensor<32x64x32xf32>, tensor<32x64x32xf32>, tensor<32x64x32xf32>
}

// The old content of an assigned state is not kept for a later sweep: its memory takes the new one.
// CHECK-LABEL: @states_are_overwritten
// CHECK: catena.group "{{.*}}"(%arg0{{.*}} -> (tensor<32x64x32xf32>, tensor<1x64x1xf32>)
func.func @states_are_overwritten(%state: tensor<32x64x32xf32> {catena.role = "state"}) {
  %twice = catena.map "twice"(%state) : (tensor<32x64x32xf32>) -> tensor<32x64x32xf32> {
  ^bb0(%a: f32):
    %0 = arith.addf %a, %a : f32
    catena.yield %0 : f32
  }
  %sum = catena.reduce "sum"(%twice) sum over [0, 2] : tensor<32x64x32xf32> -> tensor<1x64x1xf32>
  %y = catena.map "multiply"(%twice, %sum) : (tensor<32x64x32xf32>, tensor<1x64x1xf32>) -> tensor<32x64x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    catena.yield %0 : f32
  }
  catena.assign %state, %y : tensor<32x64x32xf32>
  return
}

// What stays in a cache is not worth the arithmetic.
// CHECK-LABEL: @small_values_are_stored
// CHECK: catena.group "{{.*}}"(%arg0{{.*}} -> (tensor<4x64x8xf32>, tensor<1x64x1xf32>)
func.func @small_values_are_stored(%x: tensor<4x64x8xf32>, %z: tensor<64x1xf32>) -> tensor<4x64x8xf32> {
  %twice = catena.map "twice"(%x) : (tensor<4x64x8xf32>) -> tensor<4x64x8xf32> {
  ^bb0(%a: f32):
    %0 = arith.addf %a, %a : f32
    catena.yield %0 : f32
  }
  %sum = catena.reduce "sum"(%twice) sum over [0, 2] : tensor<4x64x8xf32> -> tensor<1x64x1xf32>
  %w = catena.contract "matmul"(%sum, %z) {transa = true, transb = false} : (tensor<1x64x1xf32>, tensor<64x1xf32>) -> tensor<1x1x1xf32>
  %y = catena.map "multiply"(%twice, %w) : (tensor<4x64x8xf32>, tensor<1x1x1xf32>) -> tensor<4x64x8xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    catena.yield %0 : f32
  }
  return %y : tensor<4x64x8xf32>
}

// Half as large as the result, z would be kept beside x for longer than without.
// CHECK-LABEL: @two_arrays_are_not_kept_for_one
// CHECK: catena.group "{{.*}}"(%arg0, %{{.*}}) {{.*}} -> (tensor<2x64x512xf32>, tensor<1x64x1xf32>)
func.func @two_arrays_are_not_kept_for_one(%x: tensor<2x64x512xf32>, %w: tensor<64x512xf32>) -> tensor<2x64x512xf32> {
  %z = catena.map "twice"(%w) : (tensor<64x512xf32>) -> tensor<64x512xf32> {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    catena.yield %0 : f32
  }
  %added = catena.map "add"(%x, %z) : (tensor<2x64x512xf32>, tensor<64x512xf32>) -> tensor<2x64x512xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    catena.yield %0 : f32
  }
  %sum = catena.reduce "sum"(%added) sum over [0, 2] : tensor<2x64x512xf32> -> tensor<1x64x1xf32>
  %y = catena.map "multiply"(%added, %sum) : (tensor<2x64x512xf32>, tensor<1x64x1xf32>) -> tensor<2x64x512xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    catena.yield %0 : f32
  }
  return %y : tensor<2x64x512xf32>
}

// The output of a ReLU is stored for a convolution; its gradient reads x, too, and finds there where it was positive.
// CHECK-LABEL: @where_it_was_positive
// CHECK: %[[Y:.*]] = catena.group "{{.*}}relu"(%arg0, %arg1)
// CHECK: catena.window "convolution"(%[[Y]]
// CHECK: catena.group "{{.*}}"(%arg2, %arg0, %{{.*}}, %arg1)
// CHECK-NOT: %[[Y]]
// CHECK: return
func.func @where_it_was_positive(%x: tensor<32x64x16x16xf32>, %scale: tensor<1x64x1x1xf32>, %gy: tensor<32x64x16x16xf32>, %W: tensor<8x64x1x1xf32>)
    -> (tensor<32x8x16x16xf32>, tensor<32x64x16x16xf32>) {
  %scaled = catena.map "multiply"(%x, %scale) : (tensor<32x64x16x16xf32>, tensor<1x64x1x1xf32>) -> tensor<32x64x16x16xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    catena.yield %0 : f32
  }
  %y = catena.map "relu"(%scaled) : (tensor<32x64x16x16xf32>) -> tensor<32x64x16x16xf32> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %0 = arith.maximumf %a, %zero : f32
    catena.yield %0 : f32
  }
  %h = catena.window "convolution"(%y, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x64x16x16xf32>, tensor<8x64x1x1xf32>) -> tensor<32x8x16x16xf32>
  %total = catena.reduce "sum"(%h) sum over [0, 1, 2, 3] : tensor<32x8x16x16xf32> -> tensor<1x1x1x1xf32>
  %gx = catena.map "gradient"(%gy, %y, %x, %total) : (tensor<32x64x16x16xf32>, tensor<32x64x16x16xf32>, tensor<32x64x16x16xf32>, tensor<1x1x1x1xf32>) -> tensor<32x64x16x16xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %zero = arith.constant 0.0 : f32
    %positive = arith.cmpf ogt, %b, %zero : f32
    %0 = arith.select %positive, %a, %zero : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.mulf %1, %d : f32
    catena.yield %2 : f32
  }
  return %h, %gx : tensor<32x8x16x16xf32>, tensor<32x64x16x16xf32>
}
