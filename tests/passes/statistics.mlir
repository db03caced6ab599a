// RUN: catena-opt %s --catena-statistics | FileCheck %s

// Mean and spread of a convolution's result come from the convolution.
// CHECK-LABEL: @normalized
// CHECK: %[[Y:.*]]:4 = catena.window "counted_convolution"(%arg0, %arg1)
// CHECK-SAME: -> (tensor<4x32x28x28xf32>, tensor<1x32x1x1xf32>, tensor<1x32x1x1xf32>, tensor<1x1x1x1xf32>)
// CHECK-NOT: catena.reduce
// CHECK: %[[MEAN:.*]] = catena.map "divide"(%[[Y]]#1)
// CHECK-NOT: catena.map "square"
// CHECK: %[[CENTRED:.*]] = catena.map "subtract"(%[[Y]]#0, %[[MEAN]])
// CHECK: %[[SQUARES:.*]] = catena.map "around_centre"(%[[Y]]#2, %[[Y]]#1, %[[MEAN]], %[[Y]]#3)
// CHECK-NOT: arith.constant
// CHECK: return %[[CENTRED]], %[[SQUARES]]
func.func @normalized(%x: tensor<4x64x28x28xf32>, %W: tensor<32x64x1x1xf32>) -> (tensor<4x32x28x28xf32>, tensor<1x32x1x1xf32>) {
  %y = catena.window "convolution"(%x, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<4x64x28x28xf32>, tensor<32x64x1x1xf32>) -> tensor<4x32x28x28xf32>
  %sum = catena.reduce "sum"(%y) sum over [0, 2, 3] : tensor<4x32x28x28xf32> -> tensor<1x32x1x1xf32>
  %mean = catena.map "divide"(%sum) : (tensor<1x32x1x1xf32>) -> tensor<1x32x1x1xf32> {
  ^bb0(%a: f32):
    %n = arith.constant 3136.0 : f32
    %0 = arith.divf %a, %n : f32
    catena.yield %0 : f32
  }
  %centred = catena.map "subtract"(%y, %mean) : (tensor<4x32x28x28xf32>, tensor<1x32x1x1xf32>) -> tensor<4x32x28x28xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.subf %a, %b : f32
    catena.yield %0 : f32
  }
  %square = catena.map "square"(%centred) : (tensor<4x32x28x28xf32>) -> tensor<4x32x28x28xf32> {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    catena.yield %0 : f32
  }
  %squares = catena.reduce "sum"(%square) sum over [0, 2, 3] : tensor<4x32x28x28xf32> -> tensor<1x32x1x1xf32>
  return %centred, %squares : tensor<4x32x28x28xf32>, tensor<1x32x1x1xf32>
}

// Sums over the channels, too, are not those of a normalization.
// CHECK-LABEL: @of_all
// CHECK: catena.window "convolution"
// CHECK: catena.reduce
func.func @of_all(%x: tensor<4x64x28x28xf32>, %W: tensor<32x64x1x1xf32>) -> tensor<1x1x1x1xf32> {
  %y = catena.window "convolution"(%x, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<4x64x28x28xf32>, tensor<32x64x1x1xf32>) -> tensor<4x32x28x28xf32>
  %sum = catena.reduce "sum"(%y) sum over [0, 1, 2, 3] : tensor<4x32x28x28xf32> -> tensor<1x1x1x1xf32>
  %centred = catena.map "subtract"(%y, %sum) : (tensor<4x32x28x28xf32>, tensor<1x1x1x1xf32>) -> tensor<4x32x28x28xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.subf %a, %b : f32
    catena.yield %0 : f32
  }
  %square = catena.map "square"(%centred) : (tensor<4x32x28x28xf32>) -> tensor<4x32x28x28xf32> {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    catena.yield %0 : f32
  }
  %squares = catena.reduce "sum"(%square) sum over [0, 1, 2, 3] : tensor<4x32x28x28xf32> -> tensor<1x1x1x1xf32>
  return %squares : tensor<1x1x1x1xf32>
}
