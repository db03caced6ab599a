// RUN: catena-opt %s --catena-canonicalize --catena-cse --catena-drop-dead --catena-fuse --catena-recompute | FileCheck %s

// Both sides sweep the same domain and read the same value, but what reads a gradient runs in a later call: nothing is fused across.
// CHECK-LABEL: @forward_and_backward
// CHECK: %[[Y:.*]] = catena.group "exp"(%arg0)
// CHECK: %[[G:.*]] = catena.call "border"(%[[Y]], %arg1)
// CHECK: %[[GX:.*]] = catena.group "mul"(%[[G]], %[[Y]])
// CHECK: return %[[Y]], %[[GX]]
func.func @forward_and_backward(%x: tensor<64x64xf32>, %gy: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %y = catena.map "exp"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: f32):
    %r = math.exp %a : f32
    catena.yield %r : f32
  }
  %g = catena.call "border"(%y, %gy) {given = 1, inputs = 1, outputs = 1}
      : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %gx = catena.map "mul"(%g, %y) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    catena.yield %r : f32
  }
  return %y, %gx : tensor<64x64xf32>, tensor<64x64xf32>
}
