// RUN: catena-opt %s --catena-variance | FileCheck %s
// RUN: catena-opt %s --catena-variance --catena-fuse | FileCheck %s --check-prefix=FUSED

// Each image's positions are a block: its mean, the rest of its sum and its squares in one sweep of x, then sums over the images.
// CHECK-LABEL: @channels
// CHECK: %[[SUM:.*]] = catena.reduce "sum"(%arg0) sum over [2, 3] : tensor<32x16x16x16xf32> -> tensor<32x16x1x1xf32>
// CHECK: %[[TOTAL:.*]] = catena.reduce "sum"(%[[SUM]]) sum over [0] : tensor<32x16x1x1xf32> -> tensor<1x16x1x1xf32>
// CHECK: %[[CENTRE:.*]] = catena.map "divide"(%[[TOTAL]])
// CHECK: %[[MEAN:.*]] = catena.map "block_mean"(%[[SUM]])
// CHECK: arith.constant 3.906250e-03
// CHECK: %[[D:.*]] = catena.map "difference"(%arg0, %[[MEAN]])
// CHECK: %[[REST:.*]] = catena.reduce "sum"(%[[D]]) sum over [2, 3]
// CHECK: %[[SQUARES:.*]] = catena.map "squared"(%[[D]])
// CHECK: %[[WITHIN:.*]] = catena.reduce "sum"(%[[SQUARES]]) sum over [2, 3]
// CHECK: %[[MOVED:.*]] = catena.map "around_centre"(%[[WITHIN]], %[[REST]], %[[SUM]], %[[CENTRE]])
// CHECK: %[[ALL:.*]] = catena.reduce "sum"(%[[MOVED]]) sum over [0]
// CHECK: return %[[CENTRE]], %[[ALL]]
// FUSED-LABEL: @channels
// FUSED: catena.group {{.*}}(%arg0) domain [32, 16, 16, 16] reduced [2, 3]
// FUSED-NOT: %arg0
// FUSED: return
func.func @channels(%x: tensor<32x16x16x16xf32>) -> (tensor<1x16x1x1xf32>, tensor<1x16x1x1xf32>) {
  %sum = catena.reduce "sum"(%x) sum over [0, 2, 3] : tensor<32x16x16x16xf32> -> tensor<1x16x1x1xf32>
  %mean = catena.map "divide"(%sum) : (tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32> {
  ^bb0(%a: f32):
    %n = arith.constant 8192.0 : f32
    %0 = arith.divf %a, %n : f32
    catena.yield %0 : f32
  }
  %centred = catena.map "subtract"(%x, %mean) : (tensor<32x16x16x16xf32>, tensor<1x16x1x1xf32>) -> tensor<32x16x16x16xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.subf %a, %b : f32
    catena.yield %0 : f32
  }
  %square = catena.map "square"(%centred) : (tensor<32x16x16x16xf32>) -> tensor<32x16x16x16xf32> {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    catena.yield %0 : f32
  }
  %squares = catena.reduce "sum"(%square) sum over [0, 2, 3] : tensor<32x16x16x16xf32> -> tensor<1x16x1x1xf32>
  return %mean, %squares : tensor<1x16x1x1xf32>, tensor<1x16x1x1xf32>
}

// Images as few as these would leave threads without work: their lines are the blocks.
// CHECK-LABEL: @few_images
// CHECK: catena.reduce "sum"(%arg0) sum over [3] : tensor<4x64x96x96xf32> -> tensor<4x64x96x1xf32>
// CHECK: sum over [0, 2]
func.func @few_images(%x: tensor<4x64x96x96xf32>) -> tensor<1x64x1x1xf32> {
  %sum = catena.reduce "sum"(%x) sum over [0, 2, 3] : tensor<4x64x96x96xf32> -> tensor<1x64x1x1xf32>
  %mean = catena.map "divide"(%sum) : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32> {
  ^bb0(%a: f32):
    %n = arith.constant 36864.0 : f32
    %0 = arith.divf %a, %n : f32
    catena.yield %0 : f32
  }
  %centred = catena.map "subtract"(%x, %mean) : (tensor<4x64x96x96xf32>, tensor<1x64x1x1xf32>) -> tensor<4x64x96x96xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.subf %a, %b : f32
    catena.yield %0 : f32
  }
  %square = catena.map "square"(%centred) : (tensor<4x64x96x96xf32>) -> tensor<4x64x96x96xf32> {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    catena.yield %0 : f32
  }
  %squares = catena.reduce "sum"(%square) sum over [0, 2, 3] : tensor<4x64x96x96xf32> -> tensor<1x64x1x1xf32>
  return %squares : tensor<1x64x1x1xf32>
}

// A row that reduces its last dimension alone is one block already, and what is not the mean of x may be far from it.
// CHECK-LABEL: @others
// CHECK: sum over [1]
// CHECK: sum over [1]
// CHECK: sum over [0, 2]
// CHECK-NOT: sum over [2]
// CHECK: return
func.func @others(%x: tensor<64x4096xf32>, %z: tensor<64x16x256xf32>, %c: tensor<1x16x1xf32>) -> (tensor<64x1xf32>, tensor<1x16x1xf32>) {
  %sum = catena.reduce "sum"(%x) sum over [1] : tensor<64x4096xf32> -> tensor<64x1xf32>
  %mean = catena.map "divide"(%sum) : (tensor<64x1xf32>) -> tensor<64x1xf32> {
  ^bb0(%a: f32):
    %n = arith.constant 4096.0 : f32
    %0 = arith.divf %a, %n : f32
    catena.yield %0 : f32
  }
  %centred = catena.map "subtract"(%x, %mean) : (tensor<64x4096xf32>, tensor<64x1xf32>) -> tensor<64x4096xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.subf %a, %b : f32
    catena.yield %0 : f32
  }
  %square = catena.map "square"(%centred) : (tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    catena.yield %0 : f32
  }
  %squares = catena.reduce "sum"(%square) sum over [1] : tensor<64x4096xf32> -> tensor<64x1xf32>
  %away = catena.map "subtract"(%z, %c) : (tensor<64x16x256xf32>, tensor<1x16x1xf32>) -> tensor<64x16x256xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.subf %a, %b : f32
    catena.yield %0 : f32
  }
  %away_squared = catena.map "square"(%away) : (tensor<64x16x256xf32>) -> tensor<64x16x256xf32> {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    catena.yield %0 : f32
  }
  %distance = catena.reduce "sum"(%away_squared) sum over [0, 2] : tensor<64x16x256xf32> -> tensor<1x16x1xf32>
  return %squares, %distance : tensor<64x1xf32>, tensor<1x16x1xf32>
}
