// RUN: catena-opt %s --catena-join-calls | FileCheck %s

// The product of rows that are read is that of the matrix, whose rows are read then: the slices of two steps are all of them.
// CHECK-LABEL: @forward
// CHECK: %[[I:.*]] = catena.reshape "scatter_add"(%arg1) : tensor<4x2xi32> -> tensor<8xi32>
// CHECK: %[[P:.*]] = catena.contract "matmul"(%arg0, %arg2) {transa = false, transb = true} : (tensor<3x32xf32>, tensor<5x32xf32>) -> tensor<3x5xf32>
// CHECK: %[[Y:.*]] = catena.gather "embed_id"(%[[P]], %[[I]]) {axes = [0], position = 0, wrap = false} : (tensor<3x5xf32>, tensor<8xi32>) -> tensor<8x5xf32>
// CHECK: return %[[Y]]
func.func @forward(%E: tensor<3x32xf32>, %i: tensor<4x2xi32>, %W: tensor<5x32xf32>) -> tensor<8x5xf32> {
  %x = catena.gather "embed_id"(%E, %i) {axes = [0], position = 0, wrap = false} : (tensor<3x32xf32>, tensor<4x2xi32>) -> tensor<4x2x32xf32>
  %a = catena.slice "slice"(%x) from [0, 0, 0] step [1, 1, 1] : tensor<4x2x32xf32> -> tensor<2x2x32xf32>
  %b = catena.slice "slice"(%x) from [2, 0, 0] step [1, 1, 1] : tensor<4x2x32xf32> -> tensor<2x2x32xf32>
  %c = catena.reshape "reshape"(%a) : tensor<2x2x32xf32> -> tensor<4x32xf32>
  %d = catena.reshape "reshape"(%b) : tensor<2x2x32xf32> -> tensor<4x32xf32>
  %rows = catena.concat "concat"(%c, %d) {axis = 0} : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
  %y = catena.contract "matmul"(%rows, %W) {transa = false, transb = true} : (tensor<8x32xf32>, tensor<5x32xf32>) -> tensor<8x5xf32>
  return %y : tensor<8x5xf32>
}

// Backwards rows at equal places are added first, in the order of the product's rows: here the last step's come first.
// CHECK-LABEL: @backward
// CHECK: %[[I:.*]] = catena.concat "concat"(%{{.*}}, %{{.*}}) {axis = 0} : (tensor<4xi32>, tensor<4xi32>) -> tensor<8xi32>
// CHECK: %[[S:.*]] = catena.scatter "scatter_add"(%arg2, %[[I]]) {axes = [0], position = 0, shape = [3, 40], wrap = false}
// CHECK: %[[G:.*]] = catena.contract "matmul"(%[[S]], %arg3) {transa = false, transb = false} : (tensor<3x40xf32>, tensor<40x32xf32>) -> tensor<3x32xf32>
// CHECK: %[[ONES:.*]] = catena.map
// CHECK: %[[N:.*]] = catena.scatter "scatter_add"(%[[ONES]], %[[I]]) {axes = [0], position = 0, shape = [3, 1], wrap = false}
// CHECK: %[[GE:.*]] = catena.map "scatter_add"(%[[G]], %[[N]])
// CHECK: arith.cmpf ogt
// CHECK: arith.select
// CHECK: return %[[GE]]
func.func @backward(%i: tensor<4x2xi32>, %E: tensor<3x32xf32>, %g: tensor<8x40xf32>, %W: tensor<40x32xf32>) -> tensor<3x32xf32> {
  %gx = catena.contract "matmul"(%g, %W) {transa = false, transb = false} : (tensor<8x40xf32>, tensor<40x32xf32>) -> tensor<8x32xf32>
  %a = catena.slice "slice"(%gx) from [4, 0] step [1, 1] : tensor<8x32xf32> -> tensor<4x32xf32>
  %b = catena.slice "slice"(%gx) from [0, 0] step [1, 1] : tensor<8x32xf32> -> tensor<4x32xf32>
  %c = catena.reshape "reshape"(%a) : tensor<4x32xf32> -> tensor<2x2x32xf32>
  %d = catena.reshape "reshape"(%b) : tensor<4x32xf32> -> tensor<2x2x32xf32>
  %rows = catena.concat "concat"(%c, %d) {axis = 0} : (tensor<2x2x32xf32>, tensor<2x2x32xf32>) -> tensor<4x2x32xf32>
  %gE = catena.scatter "scatter_add"(%rows, %i) {axes = [0], position = 0, shape = [3, 32], wrap = false} : (tensor<4x2x32xf32>, tensor<4x2xi32>) -> tensor<3x32xf32>
  return %gE : tensor<3x32xf32>
}

// Towards the weights: the product of the matrix, where it is read, and of the sums.
// CHECK-LABEL: @weights
// CHECK: %[[S:.*]] = catena.scatter "scatter_add"(%arg2, %arg1) {axes = [0], position = 0, shape = [3, 40], wrap = false}
// CHECK: %[[R:.*]] = catena.map "scatter_add"(%arg0, %{{.*}})
// CHECK: %[[G:.*]] = catena.contract "matmul"(%[[S]], %[[R]]) {transa = true, transb = false} : (tensor<3x40xf32>, tensor<3x32xf32>) -> tensor<40x32xf32>
// CHECK: return %[[G]]
func.func @weights(%E: tensor<3x32xf32>, %i: tensor<8xi32>, %g: tensor<8x40xf32>) -> tensor<40x32xf32> {
  %x = catena.gather "embed_id"(%E, %i) {axes = [0], position = 0, wrap = false} : (tensor<3x32xf32>, tensor<8xi32>) -> tensor<8x32xf32>
  %gW = catena.contract "matmul"(%g, %x) {transa = true, transb = false} : (tensor<8x40xf32>, tensor<8x32xf32>) -> tensor<40x32xf32>
  return %gW : tensor<40x32xf32>
}

// Not where some places are ignored, nor of fewer places than twice the rows, nor of numbers whose sums would be rounded to 16 bits, nor where the rows'
// gradient is read by something else, too.
// CHECK-LABEL: @ignored
// CHECK-NEXT: catena.gather
// CHECK-NEXT: catena.contract
func.func @ignored(%E: tensor<3x32xf32>, %i: tensor<8xi32>, %W: tensor<5x32xf32>) -> tensor<8x5xf32> {
  %x = catena.gather "embed_id"(%E, %i) {axes = [0], ignore_label = 1 : i64, position = 0, wrap = false} : (tensor<3x32xf32>, tensor<8xi32>) -> tensor<8x32xf32>
  %y = catena.contract "matmul"(%x, %W) {transa = false, transb = true} : (tensor<8x32xf32>, tensor<5x32xf32>) -> tensor<8x5xf32>
  return %y : tensor<8x5xf32>
}
// CHECK-LABEL: @few
// CHECK-NEXT: catena.gather
// CHECK-NEXT: catena.contract
func.func @few(%E: tensor<3x32xf32>, %i: tensor<5xi32>, %W: tensor<5x32xf32>) -> tensor<5x5xf32> {
  %x = catena.gather "embed_id"(%E, %i) {axes = [0], position = 0, wrap = false} : (tensor<3x32xf32>, tensor<5xi32>) -> tensor<5x32xf32>
  %y = catena.contract "matmul"(%x, %W) {transa = false, transb = true} : (tensor<5x32xf32>, tensor<5x32xf32>) -> tensor<5x5xf32>
  return %y : tensor<5x5xf32>
}
// CHECK-LABEL: @short
// CHECK-NEXT: catena.gather
// CHECK-NEXT: catena.contract
func.func @short(%E: tensor<3x32xf16>, %i: tensor<8xi32>, %W: tensor<5x32xf16>) -> tensor<8x5xf16> {
  %x = catena.gather "embed_id"(%E, %i) {axes = [0], position = 0, wrap = false} : (tensor<3x32xf16>, tensor<8xi32>) -> tensor<8x32xf16>
  %y = catena.contract "matmul"(%x, %W) {transa = false, transb = true} : (tensor<8x32xf16>, tensor<5x32xf16>) -> tensor<8x5xf16>
  return %y : tensor<8x5xf16>
}
// CHECK-LABEL: @read_elsewhere
// CHECK-NEXT: catena.contract
// CHECK-NEXT: catena.scatter
// CHECK-NEXT: return
func.func @read_elsewhere(%i: tensor<8xi32>, %g: tensor<8x40xf32>, %W: tensor<40x32xf32>) -> (tensor<3x32xf32>, tensor<8x32xf32>) {
  %gx = catena.contract "matmul"(%g, %W) {transa = false, transb = false} : (tensor<8x40xf32>, tensor<40x32xf32>) -> tensor<8x32xf32>
  %gE = catena.scatter "scatter_add"(%gx, %i) {axes = [0], position = 0, shape = [3, 32], wrap = false} : (tensor<8x32xf32>, tensor<8xi32>) -> tensor<3x32xf32>
  return %gE, %gx : tensor<3x32xf32>, tensor<8x32xf32>
}
