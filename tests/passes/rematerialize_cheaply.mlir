// RUN: catena-opt %s --catena-fuse "--catena-rematerialize=from=30000" | FileCheck %s
// RUN: catena-opt %s --catena-fuse "--catena-rematerialize=from=90000000" | FileCheck %s --check-prefix=SMALL
// RUN: catena-opt %s --catena-fuse --catena-rematerialize | FileCheck %s --check-prefix=SMALL

// Without a budget a sweep is made again, which is cheap beside four products, but no product is.
// CHECK-LABEL: @cheap_beside_products
// CHECK: catena.group
// CHECK-COUNT-2: catena.contract
// CHECK: %[[AGAIN:.*]] = catena.group
// CHECK: catena.contract "matmul"({{.*}}, %[[AGAIN]])
// CHECK-NOT: catena.contract
// CHECK: return

// SMALL-LABEL: @cheap_beside_products
// SMALL: catena.group
// SMALL-NOT: catena.group
// SMALL: return
func.func @cheap_beside_products(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %y = catena.map "square"(%x) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  ^bb0(%p: f32):
    %0 = arith.mulf %p, %p : f32
    catena.yield %0 : f32
  }
  %a = catena.contract "matmul"(%y, %w) {transa = false, transb = false} : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %b = catena.contract "matmul"(%a, %w) {transa = false, transb = false} : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %c = catena.contract "matmul"(%b, %y) {transa = false, transb = false} : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %c : tensor<1024x1024xf32>
}
