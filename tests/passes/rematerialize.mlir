// RUN: catena-opt %s --catena-fuse "--catena-rematerialize=budget=30000" | FileCheck %s

// Of what the first three sweeps give, the backward ones read all. With a budget of three arrays of 8 KB the first is not kept: it
// is made again before its late reader.
// CHECK-LABEL: @waits_for_long
// CHECK: %[[A:.*]] = catena.contract "matmul"(%arg0, %arg1)
// CHECK: %[[B:.*]] = catena.contract "matmul"(%[[A]], %arg1)
// CHECK: %[[C:.*]] = catena.contract "matmul"(%[[B]], %arg1)
// CHECK: %[[D:.*]] = catena.contract "matmul"(%[[C]], %arg1)
// CHECK: %[[GC:.*]] = catena.contract "matmul"(%[[D]], %[[C]])
// CHECK: %[[GB:.*]] = catena.contract "matmul"(%[[GC]], %[[B]])
// CHECK: %[[AGAIN:.*]] = catena.contract "matmul"(%arg0, %arg1)
// CHECK: %[[GA:.*]] = catena.contract "matmul"(%[[GB]], %[[AGAIN]])
// CHECK: return %[[GA]]
func.func @waits_for_long(%x: tensor<46x46xf32>, %w: tensor<46x46xf32>) -> tensor<46x46xf32> {
  %a = catena.contract "matmul"(%x, %w) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %b = catena.contract "matmul"(%a, %w) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %c = catena.contract "matmul"(%b, %w) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %d = catena.contract "matmul"(%c, %w) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %gc = catena.contract "matmul"(%d, %c) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %gb = catena.contract "matmul"(%gc, %b) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %ga = catena.contract "matmul"(%gb, %a) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  return %ga : tensor<46x46xf32>
}

// A value that is read through a view is made again with its view; a group's copy stores only what is read of it.
// CHECK-LABEL: @views_and_groups
// CHECK: %[[Y:.*]]:2 = catena.group
// CHECK: catena.contract "matmul"(%[[Y]]#0, %arg1)
// CHECK: %[[AGAIN:.*]] = catena.group "{{.*}}"(%arg0) {{.*}} : (tensor<46x46xf32>) -> tensor<46x46xf32>
// CHECK: %[[VIEW:.*]] = catena.transpose "transpose"(%[[AGAIN]])
// CHECK: catena.contract "matmul"({{.*}}, %[[VIEW]])
func.func @views_and_groups(%x: tensor<46x46xf32>, %w: tensor<46x46xf32>) -> (tensor<46x46xf32>, tensor<46x1xf32>) {
  %y = catena.map "square"(%x) : (tensor<46x46xf32>) -> tensor<46x46xf32> {
  ^bb0(%p: f32):
    %0 = arith.mulf %p, %p : f32
    catena.yield %0 : f32
  }
  %sum = catena.reduce "sum"(%y) sum over [1] : tensor<46x46xf32> -> tensor<46x1xf32>
  %b = catena.contract "matmul"(%y, %w) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %c = catena.contract "matmul"(%b, %w) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %d = catena.contract "matmul"(%c, %b) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %e = catena.contract "matmul"(%d, %c) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %t = catena.transpose "transpose"(%y) by [1, 0] : tensor<46x46xf32> -> tensor<46x46xf32>
  %f = catena.contract "matmul"(%e, %t) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  return %f, %sum : tensor<46x46xf32>, tensor<46x1xf32>
}

// A copy whose sums are read stores all that the group stores: how sums are ordered depends on what is computed beside them.
// CHECK-LABEL: @sums_stay_as_they_are
// CHECK: %[[FIRST:.*]]:2 = catena.group "square_sum_divide"
// CHECK: catena.contract "matmul"(%[[FIRST]]#1, %arg1)
// CHECK: %[[AGAIN:.*]]:2 = catena.group "square_sum_divide"(%arg0) {{.*}} : (tensor<46x46xf32>) -> (tensor<46x46xf32>, tensor<46x46xf32>)
// CHECK: %[[F:.*]] = catena.contract "matmul"(%{{.*}}, %[[AGAIN]]#1)
// CHECK: return %[[F]]
func.func @sums_stay_as_they_are(%x: tensor<46x46xf32>, %w: tensor<46x46xf32>) -> tensor<46x46xf32> {
  %y = catena.map "square"(%x) : (tensor<46x46xf32>) -> tensor<46x46xf32> {
  ^bb0(%p: f32):
    %0 = arith.mulf %p, %p : f32
    catena.yield %0 : f32
  }
  %sum = catena.reduce "sum"(%y) sum over [1] : tensor<46x46xf32> -> tensor<46x1xf32>
  %n = catena.map "divide"(%x, %sum) : (tensor<46x46xf32>, tensor<46x1xf32>) -> tensor<46x46xf32> {
  ^bb0(%p: f32, %q: f32):
    %0 = arith.divf %p, %q : f32
    catena.yield %0 : f32
  }
  %a = catena.contract "matmul"(%n, %w) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %b = catena.contract "matmul"(%a, %y) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %c = catena.contract "matmul"(%b, %w) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %d = catena.contract "matmul"(%c, %b) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %e = catena.contract "matmul"(%d, %c) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  %f = catena.contract "matmul"(%e, %n) {transa = false, transb = false} : (tensor<46x46xf32>, tensor<46x46xf32>) -> tensor<46x46xf32>
  return %f : tensor<46x46xf32>
}
