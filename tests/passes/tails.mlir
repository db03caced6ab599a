// RUN: catena-opt %s --catena-tails | FileCheck %s

// A normalization and ReLU, then a bias and bounds that are data: the second call is told what bounds the first one's result.
// CHECK-LABEL: @normalized_and_bounded
// CHECK: %[[BEFORE:.*]] = catena.map "norm"(%arg3) : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
// CHECK: arith.negf
// CHECK: %[[SCALE:.*]] = catena.map "norm"(%arg4 with
// CHECK: math.rsqrt
// CHECK: %[[A:.*]]:2 = catena.window "tailed_convolution"(%arg0, %arg1, %[[BEFORE]], %[[SCALE]], %arg5) {{.*}}lowest = 0.000000e+00{{.*}}tail = 14
// CHECK-SAME: -> (tensor<2x4x8x8xf32>, tensor<1xf32>)
// CHECK: %[[P:.*]]:2 = catena.window "max_pooling"(%[[A]]#0)
// CHECK: %[[B:.*]]:2 = catena.window "tailed_convolution"(%[[P]]#0, %arg2, %[[A]]#1, %arg6, %arg7) {{.*}}tail = 67
// CHECK-NOT: maximumf
// CHECK: return %[[B]]#0
func.func @normalized_and_bounded(%x: tensor<2x3x8x8xf32>, %V: tensor<4x3x1x1xf32>, %W: tensor<4x4x1x1xf32>,
    %mean: tensor<1x4x1x1xf32>, %var: tensor<1x4x1x1xf32>, %beta: tensor<1x4x1x1xf32>, %b: tensor<1x4x1x1xf32>, %most: tensor<f32>)
    -> tensor<2x4x4x4xf32> {
  %eps = catena.scalar 0
  %0 = catena.window "convolution"(%x, %V) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<2x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<2x4x8x8xf32>
  %1 = catena.map "norm"(%0, %mean, %var, %beta with %eps)
      : (tensor<2x4x8x8xf32>, tensor<1x4x1x1xf32>, tensor<1x4x1x1xf32>, tensor<1x4x1x1xf32>) -> tensor<2x4x8x8xf32> {
  ^bb0(%a: f32, %m: f32, %v: f32, %c: f32, %k: f32):
    %2 = arith.addf %v, %k : f32
    %3 = math.rsqrt %2 : f32
    %4 = arith.subf %a, %m : f32
    %5 = arith.mulf %4, %3 : f32
    %6 = arith.addf %5, %c : f32
    catena.yield %6 : f32
  }
  %7 = catena.map "relu"(%1) : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %8 = arith.maximumf %a, %zero : f32
    catena.yield %8 : f32
  }
  %9:2 = catena.window "max_pooling"(%7) {cover_all = false, ksize = [2, 2], pad = [0, 0], stride = [2, 2]}
      : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  %10 = catena.window "convolution"(%9#0, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<2x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<2x4x4x4xf32>
  %11 = catena.map "add"(%10, %b) : (tensor<2x4x4x4xf32>, tensor<1x4x1x1xf32>) -> tensor<2x4x4x4xf32> {
  ^bb0(%a: f32, %c: f32):
    %12 = arith.addf %a, %c : f32
    catena.yield %12 : f32
  }
  %13 = catena.map "minimum"(%11, %most) : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<2x4x4x4xf32> {
  ^bb0(%a: f32, %c: f32):
    %14 = arith.minimumf %a, %c : f32
    catena.yield %14 : f32
  }
  return %13 : tensor<2x4x4x4xf32>
}

// The sum with another image is taken, what comes after ReLU is not; neither is a square, nor a result that two read.
// CHECK-LABEL: @ends
// CHECK: catena.window "tailed_convolution"(%arg0, %arg1, %arg2) {{.*}}tail = 16
// CHECK-NEXT: catena.map "halve"
// CHECK: catena.window "convolution"
// CHECK-NEXT: catena.map "square"
// CHECK: catena.window "convolution"
// CHECK-NEXT: catena.map "relu"
func.func @ends(%x: tensor<2x4x8x8xf32>, %W: tensor<4x4x1x1xf32>, %r: tensor<2x4x8x8xf32>)
    -> (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) {
  %0 = catena.window "convolution"(%x, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<2x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<2x4x8x8xf32>
  %1 = catena.map "add"(%0, %r) : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> {
  ^bb0(%a: f32, %c: f32):
    %2 = arith.addf %a, %c : f32
    catena.yield %2 : f32
  }
  %3 = catena.map "halve"(%1) : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> {
  ^bb0(%a: f32):
    %half = arith.constant 0.5 : f32
    %4 = arith.mulf %a, %half : f32
    catena.yield %4 : f32
  }
  %5 = catena.window "convolution"(%3, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<2x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<2x4x8x8xf32>
  %6 = catena.map "square"(%5) : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> {
  ^bb0(%a: f32):
    %7 = arith.mulf %a, %a : f32
    catena.yield %7 : f32
  }
  %8 = catena.window "convolution"(%6, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<2x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<2x4x8x8xf32>
  %9 = catena.map "relu"(%8) : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %10 = arith.maximumf %a, %zero : f32
    catena.yield %10 : f32
  }
  return %3, %6, %8, %9 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>
}
