// RUN: catena-opt %s --catena-join-calls | FileCheck %s

// Products of slices with the same weights are one product of what was sliced.
// CHECK-LABEL: @same_weights
// CHECK-NEXT: %[[Y:.*]] = catena.contract "matmul"(%arg0, %arg1) {transa = false, transb = true} : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
// CHECK-NEXT: return %[[Y]]
func.func @same_weights(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
  %x0 = catena.slice "get_item"(%x) from [0, 0] step [1, 1] : tensor<4x8xf32> -> tensor<2x8xf32>
  %x1 = catena.slice "get_item"(%x) from [2, 0] step [1, 1] : tensor<4x8xf32> -> tensor<2x8xf32>
  %y0 = catena.contract "matmul"(%x0, %w) {transa = false, transb = true} : (tensor<2x8xf32>, tensor<16x8xf32>) -> tensor<2x16xf32>
  %y1 = catena.contract "matmul"(%x1, %w) {transa = false, transb = true} : (tensor<2x8xf32>, tensor<16x8xf32>) -> tensor<2x16xf32>
  %y = catena.concat "concat"(%y0, %y1) {axis = 0} : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// Other operands are put side by side, the results are slices; what is done to all slices alike is done to the whole.
// CHECK-LABEL: @with_bias
// CHECK-NEXT: %[[X:.*]] = catena.concat "concat"(%arg0, %arg1) {axis = 0}
// CHECK-NEXT: %[[Y:.*]] = catena.contract "matmul"(%[[X]], %arg2)
// CHECK-NEXT: %[[Z:.*]] = catena.map "add"(%[[Y]], %arg3) : (tensor<5x16xf32>, tensor<16xf32>) -> tensor<5x16xf32>
// CHECK: return %[[Z]]
func.func @with_bias(%x0: tensor<2x8xf32>, %x1: tensor<3x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>) -> tensor<5x16xf32> {
  %y0 = catena.contract "matmul"(%x0, %w) {transa = false, transb = true} : (tensor<2x8xf32>, tensor<16x8xf32>) -> tensor<2x16xf32>
  %z0 = catena.map "add"(%y0, %b) : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  %y1 = catena.contract "matmul"(%x1, %w) {transa = false, transb = true} : (tensor<3x8xf32>, tensor<16x8xf32>) -> tensor<3x16xf32>
  %z1 = catena.map "add"(%y1, %b) : (tensor<3x16xf32>, tensor<16xf32>) -> tensor<3x16xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  %z = catena.concat "concat"(%z0, %z1) {axis = 0} : (tensor<2x16xf32>, tensor<3x16xf32>) -> tensor<5x16xf32>
  return %z : tensor<5x16xf32>
}

// A step that needs the one before waits for it.
// CHECK-LABEL: @recurrence
// CHECK-COUNT-2: catena.contract "matmul"({{.*}} : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
// CHECK-NEXT: return
func.func @recurrence(%h: tensor<2x8xf32>, %w: tensor<8x8xf32>) -> tensor<2x8xf32> {
  %y0 = catena.contract "matmul"(%h, %w) {transa = false, transb = true} : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
  %y1 = catena.contract "matmul"(%y0, %w) {transa = false, transb = true} : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
  return %y1 : tensor<2x8xf32>
}

// Nor where something between them needs it.
// CHECK-LABEL: @recurrence_with_a_function
// CHECK: catena.contract
// CHECK: catena.map "tanh"
// CHECK: catena.contract
func.func @recurrence_with_a_function(%h: tensor<2x8xf32>, %w: tensor<8x8xf32>) -> tensor<2x8xf32> {
  %y0 = catena.contract "matmul"(%h, %w) {transa = false, transb = true} : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
  %t = catena.map "tanh"(%y0) : (tensor<2x8xf32>) -> tensor<2x8xf32> {
  ^bb0(%p: f32):
    %r = math.tanh %p : f32
    catena.yield %r : f32
  }
  %y1 = catena.contract "matmul"(%t, %w) {transa = false, transb = true} : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
  return %y1 : tensor<2x8xf32>
}

// Copying operands that are larger than the weights would cost more than it saves.
// CHECK-LABEL: @small_weights
// CHECK-NOT: catena.concat
// CHECK-COUNT-2: catena.contract
// CHECK: return
func.func @small_weights(%x0: tensor<64x8xf32>, %x1: tensor<64x8xf32>, %w: tensor<4x8xf32>) -> (tensor<64x4xf32>, tensor<64x4xf32>) {
  %y0 = catena.contract "matmul"(%x0, %w) {transa = false, transb = true} : (tensor<64x8xf32>, tensor<4x8xf32>) -> tensor<64x4xf32>
  %y1 = catena.contract "matmul"(%x1, %w) {transa = false, transb = true} : (tensor<64x8xf32>, tensor<4x8xf32>) -> tensor<64x4xf32>
  return %y0, %y1 : tensor<64x4xf32>, tensor<64x4xf32>
}

// The gradient of weights used three times: one product. The term that is no product stays.
// CHECK-LABEL: @sum_of_products
// CHECK-DAG: %[[A:.*]] = catena.concat "concat"(%arg0, %arg1, %arg2) {axis = 0}
// CHECK-DAG: %[[B:.*]] = catena.concat "concat"(%arg3, %arg4, %arg5) {axis = 0}
// CHECK: %[[P:.*]] = catena.contract "matmul"(%[[A]], %[[B]]) {transa = true, transb = false} : (tensor<6x8xf32>, tensor<6x16xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: %[[S:.*]] = catena.map "add"({{.*}}%[[P]]
// CHECK: return %[[S]]
func.func @sum_of_products(%a0: tensor<2x8xf32>, %a1: tensor<2x8xf32>, %a2: tensor<2x8xf32>,
                           %b0: tensor<2x16xf32>, %b1: tensor<2x16xf32>, %b2: tensor<2x16xf32>, %g: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %p0 = catena.contract "matmul"(%a0, %b0) {transa = true, transb = false} : (tensor<2x8xf32>, tensor<2x16xf32>) -> tensor<8x16xf32>
  %p1 = catena.contract "matmul"(%a1, %b1) {transa = true, transb = false} : (tensor<2x8xf32>, tensor<2x16xf32>) -> tensor<8x16xf32>
  %p2 = catena.contract "matmul"(%a2, %b2) {transa = true, transb = false} : (tensor<2x8xf32>, tensor<2x16xf32>) -> tensor<8x16xf32>
  %s0 = catena.map "add"(%p0, %p1) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  %s1 = catena.map "add"(%g, %s0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  %s2 = catena.map "add"(%s1, %p2) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  return %s2 : tensor<8x16xf32>
}

// A product that is needed by itself is not part of the joined one.
// CHECK-LABEL: @a_term_with_another_reader
// CHECK-COUNT-2: catena.contract
// CHECK: return
func.func @a_term_with_another_reader(%a0: tensor<2x8xf32>, %b0: tensor<2x16xf32>, %a1: tensor<2x8xf32>, %b1: tensor<2x16xf32>)
    -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %p0 = catena.contract "matmul"(%a0, %b0) {transa = true, transb = false} : (tensor<2x8xf32>, tensor<2x16xf32>) -> tensor<8x16xf32>
  %p1 = catena.contract "matmul"(%a1, %b1) {transa = true, transb = false} : (tensor<2x8xf32>, tensor<2x16xf32>) -> tensor<8x16xf32>
  %s0 = catena.map "add"(%p0, %p1) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  return %s0, %p1 : tensor<8x16xf32>, tensor<8x16xf32>
}

// Rows read from a table, and what is added to them: the table is gone through once.
// CHECK-LABEL: @table
// CHECK: %[[I:.*]] = catena.concat "concat"(%arg1, %arg2) {axis = 0} : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
// CHECK-NEXT: catena.gather "embed_id"(%arg0, %[[I]]) {{.*}} -> tensor<4x8xf32>
// CHECK-COUNT-2: catena.slice
// CHECK: %[[G:.*]] = catena.concat "concat"(%arg3, %arg4) {axis = 0}
// CHECK-NEXT: catena.scatter "scatter_add"(%[[G]], %[[I]]) {{.*}} -> tensor<10x8xf32>
// CHECK-NEXT: return
func.func @table(%w: tensor<10x8xf32>, %i0: tensor<2xi32>, %i1: tensor<2xi32>, %g0: tensor<2x8xf32>, %g1: tensor<2x8xf32>)
    -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<10x8xf32>) {
  %y0 = catena.gather "embed_id"(%w, %i0) {axes = array<i64: 0>, position = 0, wrap = false} : (tensor<10x8xf32>, tensor<2xi32>) -> tensor<2x8xf32>
  %y1 = catena.gather "embed_id"(%w, %i1) {axes = array<i64: 0>, position = 0, wrap = false} : (tensor<10x8xf32>, tensor<2xi32>) -> tensor<2x8xf32>
  %s0 = catena.scatter "scatter_add"(%g0, %i0) {axes = array<i64: 0>, position = 0, shape = array<i64: 10, 8>, wrap = false} : (tensor<2x8xf32>, tensor<2xi32>) -> tensor<10x8xf32>
  %s1 = catena.scatter "scatter_add"(%g1, %i1) {axes = array<i64: 0>, position = 0, shape = array<i64: 10, 8>, wrap = false} : (tensor<2x8xf32>, tensor<2xi32>) -> tensor<10x8xf32>
  %s = catena.map "add"(%s0, %s1) : (tensor<10x8xf32>, tensor<10x8xf32>) -> tensor<10x8xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  return %y0, %y1, %s : tensor<2x8xf32>, tensor<2x8xf32>, tensor<10x8xf32>
}

// The sum of sums of the rows of slices is the sum of all rows.
// CHECK-LABEL: @bias_gradient
// CHECK-NEXT: %[[S:.*]] = catena.reduce "sum"(%arg0) sum over [0] : tensor<4x8xf32> -> tensor<1x8xf32>
// CHECK-NEXT: %[[R:.*]] = catena.reshape "add"(%[[S]])
// CHECK-NEXT: return %[[R]]
func.func @bias_gradient(%g: tensor<4x8xf32>) -> tensor<8xf32> {
  %g0 = catena.slice "get_item"(%g) from [0, 0] step [1, 1] : tensor<4x8xf32> -> tensor<2x8xf32>
  %g1 = catena.slice "get_item"(%g) from [2, 0] step [1, 1] : tensor<4x8xf32> -> tensor<2x8xf32>
  %r0 = catena.reduce "sum"(%g0) sum over [0] : tensor<2x8xf32> -> tensor<1x8xf32>
  %r1 = catena.reduce "sum"(%g1) sum over [0] : tensor<2x8xf32> -> tensor<1x8xf32>
  %b0 = catena.reshape "sum"(%r0) : tensor<1x8xf32> -> tensor<8xf32>
  %b1 = catena.reshape "sum"(%r1) : tensor<1x8xf32> -> tensor<8xf32>
  %s = catena.map "add"(%b0, %b1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  return %s : tensor<8xf32>
}

// The gradients of the rows of an array, whose sum is that of the array, stand side by side in it, whatever the order of the sum.
// CHECK-LABEL: @gradients_of_all_rows
// CHECK-NEXT: %[[Y:.*]] = catena.concat "concat"(%arg0, %arg1, %arg2) {axis = 0}
// CHECK-NEXT: return %[[Y]]
func.func @gradients_of_all_rows(%a: tensor<1x4xf32>, %b: tensor<2x4xf32>, %c: tensor<1x4xf32>) -> tensor<4x4xf32> {
  %2 = catena.call "place_slice"(%c) {begin = [3, 0], shape = [4, 4], step = [1, 1]} : (tensor<1x4xf32>) -> tensor<4x4xf32>
  %1 = catena.call "place_slice"(%b) {begin = [1, 0], shape = [4, 4], step = [1, 1]} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %0 = catena.call "place_slice"(%a) {begin = [0, 0], shape = [4, 4], step = [1, 1]} : (tensor<1x4xf32>) -> tensor<4x4xf32>
  %s = catena.map "add"(%2, %1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  %t = catena.map "add"(%s, %0) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  return %t : tensor<4x4xf32>
}

// What does not fill the array is placed once; another term stays one.
// CHECK-LABEL: @gradients_of_some_rows
// CHECK-NEXT: %[[AB:.*]] = catena.concat "concat"(%arg0, %arg1) {axis = 0}
// CHECK-NEXT: %[[P:.*]] = catena.call "place_slice"(%[[AB]]) {begin = [1, 0], shape = [4, 4], step = [1, 1]} : (tensor<2x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: catena.map "add"(%arg2, %[[P]])
func.func @gradients_of_some_rows(%a: tensor<1x4xf32>, %b: tensor<1x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = catena.call "place_slice"(%a) {begin = [1, 0], shape = [4, 4], step = [1, 1]} : (tensor<1x4xf32>) -> tensor<4x4xf32>
  %1 = catena.call "place_slice"(%b) {begin = [2, 0], shape = [4, 4], step = [1, 1]} : (tensor<1x4xf32>) -> tensor<4x4xf32>
  %s = catena.map "add"(%c, %0) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  %t = catena.map "add"(%s, %1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  return %t : tensor<4x4xf32>
}

// Rows that were read twice are added, and every second one is not beside the next: they stay.
// CHECK-LABEL: @gradients_that_overlap
// CHECK-COUNT-3: catena.call "place_slice"
// CHECK-NOT: catena.concat
func.func @gradients_that_overlap(%a: tensor<2x4xf32>, %b: tensor<2x4xf32>, %c: tensor<2x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = catena.call "place_slice"(%a) {begin = [0, 0], shape = [4, 4], step = [1, 1]} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %1 = catena.call "place_slice"(%b) {begin = [1, 0], shape = [4, 4], step = [1, 1]} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %2 = catena.call "place_slice"(%c) {begin = [0, 0], shape = [4, 4], step = [2, 1]} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %s = catena.map "add"(%0, %1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  return %s, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}
