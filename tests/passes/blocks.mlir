// RUN: env OMP_NUM_THREADS=2 catena-opt %s --catena-blocks | FileCheck %s
// REQUIRES: avx512

// The last one's operands follow; what it and the second one were told of the range of what is between them is not wanted any more.
// CHECK-LABEL: @expanded
// CHECK-NEXT: %[[Y:.*]]:2 = catena.window "convolution_block"(%arg0, %arg1, %arg5, %arg4, %arg2, %arg4, %arg3, %arg6, %arg0) {
// CHECK-SAME: groups1 = 32
// CHECK-SAME: highest0 = 6.000000e+00
// CHECK-SAME: tail0 = 3
// CHECK-SAME: tail1 = 2
// CHECK-SAME: tail2 = 18
// CHECK-SAME: -> (tensor<1x16x28x28xf32>, tensor<1xf32>)
// CHECK-NEXT: return %[[Y]]#0
func.func @expanded(%x: tensor<1x16x28x28xf32>, %U: tensor<32x16x1x1xf32>, %V: tensor<32x1x3x3xf32>, %W: tensor<16x32x1x1xf32>,
    %b: tensor<1x32x1x1xf32>, %r: tensor<1xf32>, %c: tensor<1x16x1x1xf32>) -> tensor<1x16x28x28xf32> {
  %0:2 = catena.window "tailed_convolution"(%x, %U, %r, %b)
      {cover_all = false, dilate = [1, 1], groups = 1, highest = 6.0, lowest = 0.0, pad = [0, 0], stride = [1, 1], tail = 3}
      : (tensor<1x16x28x28xf32>, tensor<32x16x1x1xf32>, tensor<1xf32>, tensor<1x32x1x1xf32>) -> (tensor<1x32x28x28xf32>, tensor<1xf32>)
  %1:2 = catena.window "tailed_convolution"(%0#0, %V, %0#1, %b)
      {cover_all = false, dilate = [1, 1], groups = 32, highest = 6.0, lowest = 0.0, pad = [1, 1], stride = [1, 1], tail = 3}
      : (tensor<1x32x28x28xf32>, tensor<32x1x3x3xf32>, tensor<1xf32>, tensor<1x32x1x1xf32>) -> (tensor<1x32x28x28xf32>, tensor<1xf32>)
  %2:2 = catena.window "tailed_convolution"(%1#0, %W, %1#1, %c, %x)
      {cover_all = false, dilate = [1, 1], groups = 1, highest = 6.0, lowest = 0.0, pad = [0, 0], stride = [1, 1], tail = 19}
      : (tensor<1x32x28x28xf32>, tensor<16x32x1x1xf32>, tensor<1xf32>, tensor<1x16x1x1xf32>, tensor<1x16x28x28xf32>)
      -> (tensor<1x16x28x28xf32>, tensor<1xf32>)
  return %2#0 : tensor<1x16x28x28xf32>
}

// What is between them is read by another one, too.
// CHECK-LABEL: @read_by_others
// CHECK-COUNT-3: catena.window "tailed_convolution"
func.func @read_by_others(%x: tensor<1x16x28x28xf32>, %U: tensor<32x16x1x1xf32>, %V: tensor<32x1x3x3xf32>, %W: tensor<16x32x1x1xf32>,
    %b: tensor<1x32x1x1xf32>) -> (tensor<1x16x28x28xf32>, tensor<1x32x28x28xf32>) {
  %0:2 = catena.window "tailed_convolution"(%x, %U, %b)
      {cover_all = false, dilate = [1, 1], groups = 1, highest = 6.0, lowest = 0.0, pad = [0, 0], stride = [1, 1], tail = 2}
      : (tensor<1x16x28x28xf32>, tensor<32x16x1x1xf32>, tensor<1x32x1x1xf32>) -> (tensor<1x32x28x28xf32>, tensor<1xf32>)
  %1:2 = catena.window "tailed_convolution"(%0#0, %V, %b)
      {cover_all = false, dilate = [1, 1], groups = 32, highest = 6.0, lowest = 0.0, pad = [1, 1], stride = [1, 1], tail = 2}
      : (tensor<1x32x28x28xf32>, tensor<32x1x3x3xf32>, tensor<1x32x1x1xf32>) -> (tensor<1x32x28x28xf32>, tensor<1xf32>)
  %2:2 = catena.window "tailed_convolution"(%1#0, %W)
      {cover_all = false, dilate = [1, 1], groups = 1, highest = 6.0, lowest = 0.0, pad = [0, 0], stride = [1, 1], tail = 0}
      : (tensor<1x32x28x28xf32>, tensor<16x32x1x1xf32>) -> (tensor<1x16x28x28xf32>, tensor<1xf32>)
  return %2#0, %1#0 : tensor<1x16x28x28xf32>, tensor<1x32x28x28xf32>
}
