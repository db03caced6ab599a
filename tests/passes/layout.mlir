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

// A mean over the positions beside the full result is no reason for rows: nothing reads it on the way.
// CHECK-LABEL: @mean_beside_it
// CHECK: catena.window "convolution"(%arg0, %arg1) {{.*}} attributes {catena.channels_last = array<i64: 0>}
// CHECK: catena.group "relu_sum"{{.*}} reduced [2, 3] attributes {catena.channels_last = array<i64: 0>}
// CHECK: return
func.func @mean_beside_it(%x: tensor<32x3x8x8xf32>, %V: tensor<4x3x3x3xf32>, %W: tensor<4x4x3x3xf32>)
    -> (tensor<32x4x4x4xf32>, tensor<32x4x1x1xf32>) {
  %0 = catena.window "convolution"(%x, %V) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<32x4x6x6xf32>
  %1 = catena.map "relu"(%0) : (tensor<32x4x6x6xf32>) -> tensor<32x4x6x6xf32> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %2 = arith.maximumf %a, %zero : f32
    catena.yield %2 : f32
  }
  %3 = catena.reduce "sum"(%1) sum over [2, 3] : tensor<32x4x6x6xf32> -> tensor<32x4x1x1xf32>
  %4 = catena.window "convolution"(%1, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x4x6x6xf32>, tensor<4x4x3x3xf32>) -> tensor<32x4x4x4xf32>
  return %4, %3 : tensor<32x4x4x4xf32>, tensor<32x4x1x1xf32>
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

// Where no state is assigned, weights are packed once for many calls: channels are last at any size, also where each has its
// own kernel, and through pooling and concatenation, which cost nothing in either order.
// CHECK-LABEL: @inference
// CHECK: catena.window "convolution"(%arg0, %arg1) {{.*}} attributes {catena.channels_last = array<i64: 0>}
// CHECK: catena.window "convolution"{{.*}}groups = 32{{.*}} attributes {catena.channels_last = array<i64: 0>}
// CHECK: catena.window "max_pooling"{{.*}} attributes {catena.channels_last = array<i64: 0, 1>}
// CHECK: catena.concat "concat"{{.*}} attributes {catena.channels_last = array<i64: 0>}
// CHECK: catena.window "convolution"
// CHECK-NOT: channels_last
// CHECK: return
func.func @inference(%x: tensor<1x3x8x8xf32>, %V: tensor<32x3x3x3xf32>, %D: tensor<32x1x3x3xf32>, %W: tensor<4x64x1x1xf32>)
    -> tensor<1x4x4x4xf32> {
  %0 = catena.window "convolution"(%x, %V) {cover_all = false, dilate = [1, 1], groups = 1, pad = [1, 1], stride = [1, 1]}
      : (tensor<1x3x8x8xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x8x8xf32>
  %1 = catena.window "convolution"(%0, %D) {cover_all = false, dilate = [1, 1], groups = 32, pad = [1, 1], stride = [1, 1]}
      : (tensor<1x32x8x8xf32>, tensor<32x1x3x3xf32>) -> tensor<1x32x8x8xf32>
  %2:2 = catena.window "max_pooling"(%1) {cover_all = false, ksize = [2, 2], pad = [0, 0], stride = [2, 2]}
      : (tensor<1x32x8x8xf32>) -> (tensor<1x32x4x4xf32>, tensor<1x32x4x4xi32>)
  %3 = catena.concat "concat"(%2#0, %2#0) {axis = 1} : (tensor<1x32x4x4xf32>, tensor<1x32x4x4xf32>) -> tensor<1x64x4x4xf32>
  %4 = catena.window "convolution"(%3, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<1x64x4x4xf32>, tensor<4x64x1x1xf32>) -> tensor<1x4x4x4xf32>
  return %4 : tensor<1x4x4x4xf32>
}

// Random numbers lie like the image that they meet.
// CHECK-LABEL: @mask
// CHECK: catena.random "random_uniform"({{.*}}) {{.*}} attributes {catena.channels_last = array<i64: 0>}
// CHECK: catena.group "times"{{.*}} attributes {catena.channels_last = array<i64: 0>}
// CHECK: return
func.func @mask(%x: tensor<32x3x8x8xf32>, %V: tensor<4x3x3x3xf32>, %W: tensor<4x4x3x3xf32>, %state: tensor<2xi64>)
    -> tensor<32x4x4x4xf32> {
  %0 = catena.window "convolution"(%x, %V) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<32x4x6x6xf32>
  %1 = catena.random "random_uniform"(%state) {dtype = "float32", shape = [32, 4, 6, 6]} : (tensor<2xi64>) -> tensor<32x4x6x6xf32>
  %2 = catena.map "times"(%0, %1) : (tensor<32x4x6x6xf32>, tensor<32x4x6x6xf32>) -> tensor<32x4x6x6xf32> {
  ^bb0(%a: f32, %b: f32):
    %3 = arith.mulf %a, %b : f32
    catena.yield %3 : f32
  }
  %4 = catena.window "convolution"(%2, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x4x6x6xf32>, tensor<4x4x3x3xf32>) -> tensor<32x4x4x4xf32>
  return %4 : tensor<32x4x4x4xf32>
}

// Those of other types are drawn row by row.
// CHECK-LABEL: @mask_of_halves
// CHECK: catena.random "random_uniform"({{.*}}) {dtype = "float16", shape = [32, 4, 6, 6]} :
// CHECK: return
func.func @mask_of_halves(%x: tensor<32x3x8x8xf32>, %V: tensor<4x3x3x3xf32>, %W: tensor<4x4x3x3xf32>, %state: tensor<2xi64>)
    -> tensor<32x4x4x4xf32> {
  %0 = catena.window "convolution"(%x, %V) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<32x4x6x6xf32>
  %1 = catena.random "random_uniform"(%state) {dtype = "float16", shape = [32, 4, 6, 6]} : (tensor<2xi64>) -> tensor<32x4x6x6xf16>
  %2 = catena.map "times"(%0, %1) : (tensor<32x4x6x6xf32>, tensor<32x4x6x6xf16>) -> tensor<32x4x6x6xf32> {
  ^bb0(%a: f32, %b: f32):
    %3 = arith.mulf %a, %b : f32
    catena.yield %3 : f32
  }
  %4 = catena.window "convolution"(%2, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [0, 0], stride = [1, 1]}
      : (tensor<32x4x6x6xf32>, tensor<4x4x3x3xf32>) -> tensor<32x4x4x4xf32>
  return %4 : tensor<32x4x4x4xf32>
}

// Pictures, images of few channels, are as fast in either order: those of a convolution stay row-major, as what else is done with them wants it.
// CHECK-LABEL: @pictures
// CHECK-NOT: channels_last
// CHECK: return
func.func @pictures(%x: tensor<32x3x16x16xf32>, %W: tensor<32x3x4x4xf32>) -> tensor<32x32x8x8xf32> {
  %0 = catena.map "relu"(%x) : (tensor<32x3x16x16xf32>) -> tensor<32x3x16x16xf32> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %2 = arith.maximumf %a, %zero : f32
    catena.yield %2 : f32
  }
  %1 = catena.window "convolution"(%0, %W) {cover_all = false, dilate = [1, 1], groups = 1, pad = [1, 1], stride = [2, 2]}
      : (tensor<32x3x16x16xf32>, tensor<32x3x4x4xf32>) -> tensor<32x32x8x8xf32>
  return %1 : tensor<32x32x8x8xf32>
}
