// RUN: catena-opt %s --catena-fuse --catena-layout | FileCheck %s

// What lies between two convolutions has its channels last; the first one's input and the result are the caller's.
// CHECK-LABEL: @between_convolutions
// CHECK: catena.window "convolution"(%arg0, %arg1) {{.*}} attributes {catena.channels_last = array<i64: 0>}
// CHECK: catena.group "relu"{{.*}} attributes {catena.channels_last = array<i64: 0>}
// CHECK: catena.window "convolution"
// CHECK-NOT: channels_last
// CHECK: return
func.func @between_convolutions(%x: tensor<32x3x8x8xf32>, %V: tensor<4x3x3x3xf32>, %W: tensor<4x4x3x3xf32>)
    -> tensor<32x4x4x4xf32> {
  %0 = catena.window "convolution"(%x, %V) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<32x4x6x6xf32>
  %1 = catena.map "relu"(%0) : (tensor<32x4x6x6xf32>) -> tensor<32x4x6x6xf32> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %2 = arith.maximumf %a, %zero : f32
    catena.yield %2 : f32
  }
  %3 = catena.window "convolution"(%1, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x4x6x6xf32>, tensor<4x4x3x3xf32>) -> tensor<32x4x4x4xf32>
  return %3 : tensor<32x4x4x4xf32>
}

// Normalized over the positions, a group runs row by row: positions stay innermost.
// CHECK-LABEL: @row_by_row
// CHECK-NOT: channels_last
// CHECK: return
func.func @row_by_row(%x: tensor<32x3x8x8xf32>, %V: tensor<4x3x3x3xf32>) -> tensor<32x4x6x6xf32> {
  %0 = catena.window "convolution"(%x, %V) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<32x4x6x6xf32>
  %1 = catena.reduce "sum"(%0) sum over [2, 3] : tensor<32x4x6x6xf32> -> tensor<32x4x1x1xf32>
  %2 = catena.map "sub"(%0, %1) : (tensor<32x4x6x6xf32>, tensor<32x4x1x1xf32>) -> tensor<32x4x6x6xf32> {
  ^bb0(%a: f32, %b: f32):
    %3 = arith.subf %a, %b : f32
    catena.yield %3 : f32
  }
  return %2 : tensor<32x4x6x6xf32>
}

// In groups, or in float64, the kernel would reorder them.
// CHECK-LABEL: @groups_and_other_types
// CHECK-NOT: channels_last
// CHECK: return
func.func @groups_and_other_types(%x: tensor<32x4x8x8xf64>, %V: tensor<4x4x3x3xf64>) -> tensor<32x4x4x4xf64> {
  %0 = catena.window "convolution"(%x, %V) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x4x8x8xf64>, tensor<4x4x3x3xf64>) -> tensor<32x4x6x6xf64>
  %1 = catena.window "convolution"(%0, %V) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x4x6x6xf64>, tensor<4x4x3x3xf64>) -> tensor<32x4x4x4xf64>
  return %1 : tensor<32x4x4x4xf64>
}
