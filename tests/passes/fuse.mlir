// RUN: catena-opt %s --catena-fuse="remarks" -split-input-file 2>&1 | FileCheck %s

// A softmax is one sweep, row by row: reduced values are read back in the same row.
// CHECK-LABEL: @softmax
// CHECK: catena.group "max_sub_exp_sum_and_1"(%{{.*}}) domain [8, 10] reduced [1]
// CHECK: catena.reduce "max"
// CHECK: catena.map "div"
// CHECK: catena.yield %{{.*}} : tensor<8x10xf32>
// CHECK-NOT: catena.group
func.func @softmax(%x: tensor<8x10xf32>) -> tensor<8x10xf32> {
  %max = catena.reduce "max"(%x) maximum over [1] : tensor<8x10xf32> -> tensor<8x1xf32>
  %sub = catena.map "sub"(%x, %max) : (tensor<8x10xf32>, tensor<8x1xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.subf %a, %b : f32
    catena.yield %r : f32
  }
  %exp = catena.map "exp"(%sub) : (tensor<8x10xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32):
    %r = math.exp %a : f32
    catena.yield %r : f32
  }
  %sum = catena.reduce "sum"(%exp) sum over [1] : tensor<8x10xf32> -> tensor<8x1xf32>
  %div = catena.map "div"(%exp, %sum) : (tensor<8x10xf32>, tensor<8x1xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.divf %a, %b : f32
    catena.yield %r : f32
  }
  return %div : tensor<8x10xf32>
}
