// RUN: catena-opt %s --catena-join-calls | FileCheck %s

// A tied embedding: its gradient is added to that of the product, instead of to zeros that are added to it.
// CHECK-LABEL: @tied
// CHECK-NEXT: %[[G:.*]] = catena.contract "matmul"(%arg0, %arg1)
// CHECK-NEXT: %[[S:.*]] = catena.scatter "scatter_onto"(%[[G]], %arg2, %arg3) {axes = [0], position = 0, shape = [16, 8], wrap = false}
// CHECK-NEXT: return %[[S]]
func.func @tied(%gy: tensor<4x16xf32>, %h: tensor<4x8xf32>, %gx: tensor<5x8xf32>, %i: tensor<5xi32>) -> tensor<16x8xf32> {
  %s = catena.scatter "scatter_add"(%gx, %i) {axes = [0], position = 0, shape = [16, 8], wrap = false}
      : (tensor<5x8xf32>, tensor<5xi32>) -> tensor<16x8xf32>
  %g = catena.contract "matmul"(%gy, %h) {transa = true, transb = false} : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %sum = catena.map "add"(%s, %g) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  return %sum : tensor<16x8xf32>
}

// What something else reads, too, stays.
// CHECK-LABEL: @read_elsewhere
// CHECK: %[[S:.*]] = catena.scatter "scatter_add"(%arg2, %arg3)
// CHECK: %[[G:.*]] = catena.contract "matmul"(%arg0, %arg1)
// CHECK: %[[SUM:.*]] = catena.map "add"(%[[S]], %[[G]])
// CHECK: return %[[SUM]], %[[S]]
func.func @read_elsewhere(%gy: tensor<4x16xf32>, %h: tensor<4x8xf32>, %gx: tensor<5x8xf32>, %i: tensor<5xi32>)
    -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %s = catena.scatter "scatter_add"(%gx, %i) {axes = [0], position = 0, shape = [16, 8], wrap = false}
      : (tensor<5x8xf32>, tensor<5xi32>) -> tensor<16x8xf32>
  %g = catena.contract "matmul"(%gy, %h) {transa = true, transb = false} : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %sum = catena.map "add"(%s, %g) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    catena.yield %r : f32
  }
  return %sum, %s : tensor<16x8xf32>, tensor<16x8xf32>
}
