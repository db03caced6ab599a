// RUN: catena-opt %s --catena-fuse --catena-layout=device=true | FileCheck %s

// Convolutions of halves on tensor cores: the images between them have their channels last, and so have the weights that the
// program makes. What pools and joins them follows.
// CHECK-LABEL: @halves
// CHECK: catena.group "relu"{{.*}} attributes {catena.channels_last = array<i64: 0>}
// CHECK: catena.window "convolution"{{.*}} attributes {catena.channels_last = array<i64: 0>}
// CHECK: catena.window "max_pooling"{{.*}} attributes {catena.channels_last = array<i64: 0, 1>}
// CHECK: catena.concat "concat"{{.*}} attributes {catena.channels_last = array<i64: 0>}
// CHECK: catena.window "convolution"
// CHECK-NOT: channels_last
// CHECK: return
func.func @halves(%x: tensor<2x3x8x8xf16>, %V: tensor<8x3x3x3xf16>, %W: tensor<4x16x3x3xf16>) -> tensor<2x4x4x4xf16> {
  %0 = catena.map "relu"(%V) : (tensor<8x3x3x3xf16>) -> tensor<8x3x3x3xf16> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %2 = arith.maximumf %a, %zero : f32
    catena.yield %2 : f32
  }
  %1 = catena.window "convolution"(%x, %0) {cover_all = false, dilate = [1, 1], groups = 1, pad = [1, 1], stride = [1, 1]}
      : (tensor<2x3x8x8xf16>, tensor<8x3x3x3xf16>) -> tensor<2x8x8x8xf16>
  %2:2 = catena.window "max_pooling"(%1) {cover_all = false, ksize = [2, 2], pad = [0, 0], stride = [2, 2]}
      : (tensor<2x8x8x8xf16>) -> (tensor<2x8x4x4xf16>, tensor<2x8x4x4xi32>)
  %3 = catena.concat "concat"(%2#0, %2#0) {axis = 1} : (tensor<2x8x4x4xf16>, tensor<2x8x4x4xf16>) -> tensor<2x16x4x4xf16>
  %4 = catena.window "convolution"(%3, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [1, 1], stride = [1, 1]}
      : (tensor<2x16x4x4xf16>, tensor<4x16x3x3xf16>) -> tensor<2x4x4x4xf16>
  return %4 : tensor<2x4x4x4xf16>
}

// float32 does not go to tensor cores: rows of pixels, also where the host would choose otherwise.
// CHECK-LABEL: @floats
// CHECK-NOT: channels_last
// CHECK: return
func.func @floats(%x: tensor<32x3x8x8xf32>, %V: tensor<4x3x3x3xf32>, %W: tensor<4x4x3x3xf32>) -> tensor<32x4x4x4xf32> {
  %0 = catena.window "convolution"(%x, %V) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<32x4x6x6xf32>
  %1 = catena.window "convolution"(%0, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x4x6x6xf32>, tensor<4x4x3x3xf32>) -> tensor<32x4x4x4xf32>
  return %1 : tensor<32x4x4x4xf32>
}
